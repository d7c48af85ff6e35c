/** ZIP files for tests, valid and invalid. */
import { crc32, deflateRawSync } from 'node:zlib';

interface ZipPart {
  readonly name: string;
  readonly content: Uint8Array;
  readonly isStored?: boolean;
  readonly flags?: number;
  readonly method?: number;
  /** Overrides the real size, checksum or offset. */
  readonly size?: number;
  readonly crc?: number;
  readonly offset?: number;
}

interface ZipOptions {
  readonly comment?: string;
  /** The declared number of entries. */
  readonly count?: number;
}

export function zipFile(
  parts: readonly ZipPart[],
  { comment = '', count = parts.length }: ZipOptions = {},
): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const part of parts) {
    const name = Buffer.from(part.name);
    const data = part.isStored ? Buffer.from(part.content) : deflateRawSync(part.content);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(part.flags ?? 0, 2);
    head.writeUInt16LE(part.method ?? (part.isStored ? 0 : 8), 4);
    head.writeUInt32LE(part.crc ?? crc32(part.content), 10);
    head.writeUInt32LE(data.length, 14);
    head.writeUInt32LE(part.size ?? part.content.length, 18);
    head.writeUInt16LE(name.length, 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(part.offset ?? at, 10);
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), head, name, data]);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.alloc(2), head, tail, name]));
    files.push(file);
    at += file.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...files, listed, end, Buffer.from(comment)]);
}
