/** Compresses modules that consist of large tables. */
import { brotliCompressSync } from 'node:zlib';

type Table = string | Uint8Array | Uint16Array;

/**
 * The source of an ES module with the same exports, whose strings and number arrays are stored in one compressed block.
 * Numbers are little-endian, like all Lambda processors.
 */
export function packTables(exported: Readonly<Record<string, unknown>>): string {
  const pieces: Uint8Array[] = [];
  let end = 0;
  const lines = Object.entries(exported).map(([name, value]) => {
    if (!isTable(value)) return `export const ${name} = ${JSON.stringify(value)};`;
    const piece = octetsOf(value);
    pieces.push(piece);
    const start = end;
    end += piece.length;
    const octets = `all.subarray(${start}, ${end})`;
    if (typeof value === 'string') return `export const ${name} = ${octets}.toString();`;
    // A copy, because two-byte numbers must be aligned.
    return `export const ${name} = new ${value.constructor.name}(Uint8Array.from(${octets}).buffer);`;
  });
  const packed = brotliCompressSync(Buffer.concat(pieces)).toString('base64');
  return [
    "import { brotliDecompressSync } from 'node:zlib';",
    `const all = brotliDecompressSync(Buffer.from('${packed}', 'base64'));`,
    ...lines,
  ].join('\n');
}

const isTable = (value: unknown): value is Table =>
  typeof value === 'string' || value instanceof Uint8Array || value instanceof Uint16Array;

const octetsOf = (table: Table): Uint8Array =>
  typeof table === 'string'
    ? Buffer.from(table)
    : new Uint8Array(table.buffer, table.byteOffset, table.byteLength);
