/** Writes small files in the MMDB format (MaxMind DB File Format Specification 2.0), with IPv4 and IPv6 networks. */
import { parsePrefix } from '../../shared/protocol/ip.ts';

type Value = string | number | { readonly [key: string]: Value };

const [STRING, UINT32, MAP] = [2, 6, 7] as const;

/** A type and a size below 285. */
const head = (type: number, size: number): Buffer =>
  size < 29 ? Buffer.of((type << 5) | size) : Buffer.of((type << 5) | 29, size - 29);

function encoded(value: Value): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([head(STRING, text.length), text]);
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([head(UINT32, 4), bytes]);
  }
  const entries = Object.entries(value);
  return Buffer.concat([
    head(MAP, entries.length),
    ...entries.flatMap(([key, of]) => [encoded(key), encoded(of)]),
  ]);
}

/** A file of this type and day (`2026-01-31`) with a value for each network; a narrower network follows the wider ones. */
export function mmdb(type: string, day: string, networks: Readonly<Record<string, Value>>): Buffer {
  const nodes: [Branch, Branch][] = [['nothing', 'nothing']];
  const data: Buffer[] = [];
  for (const [network, value] of Object.entries(networks)) {
    const prefix = parsePrefix(network);
    if (prefix === undefined) throw new Error(network);
    // IPv4 addresses are the IPv6 addresses that start with 96 zeros.
    const bits = prefix.value
      .toString(2)
      .padStart(prefix.family === 4 ? 32 : 128, '0')
      .padStart(128, '0');
    const length = prefix.length + (prefix.family === 4 ? 96 : 0);
    let node = 0;
    for (let depth = 0; depth < length; depth += 1) {
      const [pair, side] = [nodes[node], bits[depth] === '1' ? 1 : 0] as const;
      if (pair === undefined) throw new Error('no node');
      if (depth === length - 1) pair[side] = { data: Buffer.concat(data).length };
      else {
        const next = pair[side];
        node = typeof next === 'number' ? next : nodes.push([next, next]) - 1;
        pair[side] = node;
      }
    }
    data.push(encoded(value));
  }
  const tree = Buffer.concat(
    nodes.flat().map((branch) => {
      const record = Buffer.alloc(4);
      if (branch === 'nothing') record.writeUInt32BE(nodes.length);
      else record.writeUInt32BE(typeof branch === 'number' ? branch : nodes.length + 16 + branch.data);
      return record;
    }),
  );
  const metadata = encoded({
    ...{ node_count: nodes.length, record_size: 32, ip_version: 6, database_type: type },
    ...{ binary_format_major_version: 2, binary_format_minor_version: 0 },
    build_epoch: Date.parse(day) / 1000,
  });
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
  return Buffer.concat([tree, Buffer.alloc(16), ...data, marker, metadata]);
}

/** Where a bit leads: to a node, to data at an offset, or nowhere. */
type Branch = number | { readonly data: number } | 'nothing';
