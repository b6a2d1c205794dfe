"""Reads a file of GgufWriter with gguf-py, and compares the block codecs.

  cmake --build build --target write-gguf-sample
  python3 test/long/gguf_interop.py build/bin/write-gguf-sample

Needs the packages numpy and gguf (tried with 0.19).
"""

import os
import subprocess
import sys
import tempfile
import unittest

import gguf
import numpy as np

METADATA = {
    "general.architecture": "sample",
    "general.alignment": 64,
    "test.bool": True,
    "test.u32": 4000000000,
    "test.i32": -7,
    "test.u64": 1 << 40,
    "test.i64": -(1 << 40),
    "test.f32": 0.5,
    "test.f64": 1e300,
    "test.string": "größe",
    "test.bools": [True, False, True],
    "test.u32s": [1, 4000000000],
    "test.i32s": [-1, 2],
    "test.f32s": [0.25, -2],
    "test.strings": ["a", "", "bc"],
}
FORMATS = ["Q4_0", "Q4_1", "Q8_0", "Q4_K", "Q6_K"]
# gguf-py has no encoder for the others.
ENCODABLE = ["Q4_0", "Q4_1", "Q8_0"]


class GgufInterop(unittest.TestCase):
    writer = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        path = os.path.join(cls.folder.name, "sample.gguf")
        subprocess.run([cls.writer, path], check=True)
        cls.reader = gguf.GGUFReader(path)
        cls.tensors = {t.name: t for t in cls.reader.tensors}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def floats(self, name):
        tensor = self.tensors[name]
        self.assertEqual(tensor.tensor_type, gguf.GGMLQuantizationType.F32)
        return tensor.data

    def test_metadata(self):
        found = {
            key: field.contents()
            for key, field in self.reader.fields.items()
            if not key.startswith("GGUF.")
        }
        self.assertEqual(found, METADATA)

    def test_tensors(self):
        self.assertEqual(len(self.tensors), 4 * len(FORMATS))
        for tensor in self.tensors.values():
            # gguf-py gives the order of the file.
            self.assertEqual(list(tensor.shape), [1024, 8], tensor.name)

    def test_decoders(self):
        for name in FORMATS:
            tensor = self.tensors[name.lower() + ".raw"]
            self.assertEqual(tensor.tensor_type.name, name)
            with np.errstate(all="ignore"):
                expected = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
            ours = self.floats(name.lower() + ".raw.decoded")
            np.testing.assert_array_equal(ours, expected, err_msg=name)

    def test_encoders(self):
        for name in ENCODABLE:
            values = self.floats(name.lower() + ".values")
            kind = gguf.GGMLQuantizationType[name]
            expected = gguf.quants.quantize(values, kind)
            ours = self.tensors[name.lower() + ".values.encoded"].data
            np.testing.assert_array_equal(ours, expected, err_msg=name)

    def test_simple_encoders(self):
        for name, bound in [("Q4_K", 0.09), ("Q6_K", 0.03)]:
            values = self.floats(name.lower() + ".values")
            tensor = self.tensors[name.lower() + ".values.encoded"]
            decoded = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
            error = np.linalg.norm(decoded - values) / np.linalg.norm(values)
            self.assertLess(error, bound, name)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    GgufInterop.writer = sys.argv.pop(1)
    unittest.main()
