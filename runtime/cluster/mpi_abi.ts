/**
 * The two binary interfaces of MPI. Handles are addresses of globals in Open MPI and integers in MPICH and its relatives.
 *
 * @module
 */

/** Handles and special values of an MPI library. Integers and addresses are passed as 64-bit words. */
export interface MpiAbi {
  readonly name: "Open MPI" | "MPICH";
  readonly world: bigint;
  readonly byte: bigint;
  readonly float: bigint;
  readonly double: bigint;
  readonly sum: bigint;
  readonly inPlace: bigint;
  readonly statusIgnore: bigint;
}

/** Values of `mpi.h` that all releases of MPICH since 3.0 share. */
const MPICH: MpiAbi = {
  name: "MPICH",
  world: 0x44000000n,
  byte: 0x4c00010dn,
  float: 0x4c00040an,
  double: 0x4c00080bn,
  sum: 0x58000003n,
  inPlace: 0xffffffffffffffffn,
  statusIgnore: 1n,
};

/** Returns the interface of a library, by the symbols that it exports. */
export function abiOf(address: (symbol: string) => bigint | null): MpiAbi {
  const world = address("ompi_mpi_comm_world");
  if (world === null) return MPICH;
  const known = (symbol: string) => {
    const found = address(symbol);
    if (found === null) throw new Error(`The MPI library has no symbol ${symbol}`);
    return found;
  };
  return {
    name: "Open MPI",
    world,
    byte: known("ompi_mpi_byte"),
    float: known("ompi_mpi_float"),
    double: known("ompi_mpi_double"),
    sum: known("ompi_mpi_op_sum"),
    inPlace: 1n,
    statusIgnore: 0n,
  };
}
