//===- ExecTypes.td - Types and attributes of exec ---------*- tablegen -*-===//

#ifndef PAGODA_DIALECT_EXEC_EXECTYPES_TD
#define PAGODA_DIALECT_EXEC_EXECTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "pagoda/Dialect/Exec/ExecDialect.td"

def Exec_BufferType : TypeDef<Exec_Dialect, "Buffer"> {
  let summary = "Memory of a step, contiguous and row-major";
  let description = [{
    A shape of numbers and named dims, and the type of an element. A row of
    quantised elements holds its codes, then the scale of each group, then the
    sum of each 16 codes (docs/packing.md).

    Constraints:
    - C1: the element type has a size: a scalar or a quantised format.
    - C2: extents are positive numbers or names; at most one is a name.
    - C3: the last extent of quantised elements is a number.

    Example:

    ```mlir
    !exec.buffer<[tokens, 576], f32>
    ```
  }];
  let mnemonic = "buffer";
  let parameters = (ins
    ArrayRefParameter<"::mlir::Attribute", "extents: numbers or names">:$extents,
    "::mlir::Type":$elementType
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getRank() const { return getExtents().size(); }
    /// The extent as a number; nothing where it is a named dim.
    std::optional<int64_t> getStaticExtent(unsigned index) const;
    /// The tensor that a contract sees: named dims become `?`.
    ::mlir::RankedTensorType getTensorType() const;
    /// Bytes as a function of the named dims: the product of the extents
    /// must be affine, that is, hold at most one name.
    AffineSize getSize() const;
  }];
}

def Exec_SizeAttr : AttrDef<Exec_Dialect, "Size"> {
  let summary = "A number of bytes, affine in named dims";
  let description = [{
    Example:

    ```mlir
    #exec.size<2304 * tokens + 64>
    ```
  }];
  let mnemonic = "size";
  let parameters = (ins
    ArrayRefParameter<"::mlir::StringAttr", "dims">:$dims,
    ArrayRefParameter<"int64_t", "bytes for each unit of a dim">:$factors,
    "int64_t":$constant
  );
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static SizeAttr get(::mlir::MLIRContext *context, const AffineSize &size);
    AffineSize getValue() const;
  }];
}

def Exec_SizeArrayAttr : TypedArrayAttrBase<Exec_SizeAttr, "array of sizes">;

#endif // PAGODA_DIALECT_EXEC_EXECTYPES_TD
