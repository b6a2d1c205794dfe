"""Figures whose ratios, spreads and shares are known."""

import pathlib
import sys
import unittest
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import report
import sides


def figures(prefill, decode, batch):
    return {
        "load_s": 0.1,
        "prefill_tok_s": prefill,
        "decode_tok_s": decode,
        "batch_out_tok_s": {"16": batch},
    }


class Report(unittest.TestCase):
    def setUp(self):
        self.sides = {
            "pagoda": report.summarise([figures(900, 200, 50), figures(1000, 150, 60)]),
            "llama.cpp": report.summarise([figures(500, 100, 30)]),
            "openvino": report.summarise([figures(800, 50, 80)]),
        }
        self.profile = {
            "phases": [
                {
                    "name": "prefill",
                    "tokens": 512.0,
                    "kernels": [
                        {"family": "linear_i8", "operations": 512e6, "bytes": 1.0},
                        {"family": "paged_attention", "operations": 9e9, "bytes": 1.0},
                    ],
                },
                {
                    "name": "decode",
                    "tokens": 1.0,
                    "kernels": [
                        {"family": "linear_i8", "operations": 1.0, "bytes": 90e6},
                        {"family": "paged_attention", "operations": 1.0, "bytes": 5e6},
                    ],
                },
            ],
            "limits": {"int8_gop_s": 4.0, "read_gb_s": 36.0},
        }

    def test_best_round_counts(self):
        self.assertEqual(self.sides["pagoda"]["prefill"], {"best": 1000, "least": 900})
        self.assertEqual(self.sides["pagoda"]["decode"], {"best": 200, "least": 150})

    def test_ratio_to_the_best_peer(self):
        ratios = report.compare(self.sides)
        self.assertEqual(ratios["prefill"], {"peer": "openvino", "ratio": 1.25})
        self.assertEqual(ratios["decode"], {"peer": "llama.cpp", "ratio": 2.0})
        self.assertEqual(ratios["batch 16"], {"peer": "openvino", "ratio": 0.75})

    def test_no_ratio_without_peers(self):
        self.assertEqual(report.compare({"pagoda": self.sides["pagoda"]}), {})

    def test_shares_of_limits(self):
        shares = report.shares_of_limits(self.profile, self.sides)
        # 1000 tokens/s of 1 M integer operations, of 4 G.
        self.assertAlmostEqual(shares["prefill"], 0.25)
        # 200 tokens/s of 90 MB, of 36 GB/s.
        self.assertAlmostEqual(shares["decode"], 0.5)

    def test_table_names_what_is_missing(self):
        del self.sides["openvino"]["batch 16"]
        shares = report.shares_of_limits(self.profile, self.sides)
        rows = report.table(self.sides, report.compare(self.sides), shares)
        self.assertEqual(rows[0][:4], ["tokens/s", "pagoda", "llama.cpp", "openvino"])
        self.assertEqual(rows[1], ["prefill", "1000 (900)", "500 (500)", "800 (800)", "1.25", "25%"])
        self.assertEqual(rows[3][3], "-")
        self.assertEqual(rows[3][4], "2.00")
        self.assertIn("| prefill | 1000 (900) |", report.as_markdown(rows))

    def test_chart_is_well_formed_and_to_scale(self):
        root = xml.fromstring(report.as_svg("a < b", self.sides))
        space = "{http://www.w3.org/2000/svg}"
        bars = [r for r in root.iter(space + "rect") if r.get("fill") != "white"]
        widths = [float(bar.get("width")) for bar in bars[:3]]
        self.assertAlmostEqual(widths[1] / widths[0], 0.5, places=2)
        self.assertAlmostEqual(widths[2] / widths[0], 0.8, places=2)


class Sides(unittest.TestCase):
    def test_ggml_without_its_amx(self):
        flags = sides.cpu_flags("processor: 0\nflags\t\t: fpu avx avx2 amx_int8 avx512f\n")
        self.assertEqual(
            sides.ggml_arguments(flags),
            "-DGGML_NATIVE=OFF -DGGML_AVX=ON -DGGML_AVX2=ON -DGGML_AVX512=ON",
        )

    def test_failures_say_why(self):
        program = [sys.executable, "-c"]
        self.assertEqual(sides.run([*program, "print('x'); print('{\"a\": 1}')"]), {"a": 1})
        with self.assertRaisesRegex(sides.SideFailed, "ValueError: no model"):
            sides.run([*program, "raise ValueError('no model')"])
        with self.assertRaisesRegex(sides.SideFailed, "ended by signal 11"):
            sides.run([*program, "import os; os.kill(os.getpid(), 11)"])
        with self.assertRaisesRegex(sides.SideFailed, "no end after 0.2 s"):
            sides.run([*program, "import time; time.sleep(9)"], timeout=0.2)


if __name__ == "__main__":
    unittest.main()
