/** Zone files of a small internet: the root, `test` and `example`, the faulty zones below them, and others that they name. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RecordData } from '../../../shared/protocol/dns.ts';
import { writeValue, zoneTypes } from '../../../shared/protocol/zone-file/record-set.ts';
import { absolute, zoneLines } from '../../../shared/protocol/zone-file/write.ts';
import type { ZoneLiteral, ZoneNode } from '../../kit/zone.ts';
import type { Signing } from './zone-fault.ts';

const run = promisify(execFile);
const TTL = 300;
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
const DEFAULT_KEYS = [['-a', 'ECDSAP256SHA256', '-f', 'KSK']];
/** Nothing listens there. */
const DEAD_SERVER = '198.51.100.99';

/** A name server and its address. */
export type NameServer = readonly [name: string, address: string];

export interface Zone {
  /** Without the final dot; the empty string for the root. */
  readonly name: string;
  readonly servers: readonly NameServer[];
  readonly lines: readonly string[];
  readonly signing?: Signing | undefined;
}

export interface ZoneFiles {
  readonly name: string;
  /** What the servers load: BIND the first, NSD the second. */
  readonly files: readonly [bind: string, nsd: string];
  /** The records of the delegation, for the zone above. */
  readonly delegation: readonly string[];
  /** Data of the DS records. */
  readonly ds: readonly string[];
  /** Files of the keys of the zone, with their DNSKEY records. */
  readonly keys: readonly string[];
}

/** The records of a literal as lines. A name that fails is delegated to a server that does not answer. */
export function literalLines(literal: ZoneLiteral): readonly string[] {
  return Object.entries(literal).flatMap(([name, node]) =>
    typeof node === 'string'
      ? [
          `${absolute(name)} ${TTL} IN NS ns.${absolute(name)}`,
          `ns.${absolute(name)} ${TTL} IN A ${DEAD_SERVER}`,
        ]
      : nodeLines(name, node),
  );
}

function nodeLines(name: string, node: ZoneNode): readonly string[] {
  return zoneTypes.flatMap((type) => {
    const held = node[type];
    if (held === undefined || typeof held === 'string') return [];
    const values = held.map((value) => {
      if (type === 'MX' && Array.isArray(value)) return `${value[0]} ${value[1]}`;
      return writeValue(
        type,
        (type === 'TXT' && Array.isArray(value) ? value.join('') : value) as RecordData[typeof type],
      );
    });
    return zoneLines({ name, type, ttl: TTL, values });
  });
}

/** Writes a zone into `folder`, signed as it says. */
export async function writeZone(folder: string, zone: Zone): Promise<ZoneFiles> {
  const { name, servers, signing = {} } = zone;
  const own = join(folder, name === '' ? 'root' : name);
  mkdirSync(own, { recursive: true });
  const plain = join(own, 'plain');
  const apex = absolute(name === '' ? '.' : name);
  const server = servers.map(([host, address]) => [
    `${apex} ${TTL} IN NS ${absolute(host)}`,
    ...(name === '' || host.endsWith(`.${name}`) ? [`${absolute(host)} ${TTL} IN A ${address}`] : []),
  ]);
  const soa = `${apex} ${TTL} IN SOA ${absolute(servers[0]?.[0] ?? '.')} hostmaster.${absolute(servers[0]?.[0] ?? '.')} 1 3600 600 1209600 ${TTL}`;
  const extra = (signing.extra ?? []).map((line) => line.replaceAll('$', name));
  writeFileSync(plain, `${[soa, ...server.flat(), ...zone.lines, ...extra].join('\n')}\n`);
  const glue = servers
    .filter(([host]) => name !== '' && host.endsWith(`.${name}`))
    .map(([host, address]) => `${absolute(host)} ${TTL} IN A ${address}`);
  const delegation = [...servers.map(([host]) => `${apex} ${TTL} IN NS ${absolute(host)}`), ...glue];
  const wanted = signing.keys ?? DEFAULT_KEYS;
  const keys: string[] = [];
  for (const args of wanted) {
    const { stdout } = await run('dnssec-keygen', ['-q', '-K', own, ...args, apex], { env });
    keys.push(join(own, stdout.trim()));
  }
  const made: string[] = [];
  let signedFile = plain;
  if (keys.length > 0) {
    signedFile = join(own, 'signed');
    const period = ['-s', 'now-3600', '-e', 'now+2592000'];
    const options = [
      ...period,
      ...(signing.args ?? []),
      '-q',
      '-z',
      '-P',
      '-S',
      '-O',
      'full',
      '-K',
      own,
      '-d',
      own,
    ];
    await run('dnssec-signzone', [...options, '-o', apex, '-f', signedFile, plain], { env });
    for (const key of keys) {
      const { stdout } = await run('dnssec-dsfromkey', ['-2', `${key}.key`], { env });
      made.push(stdout.trim().split(/\s+IN\s+DS\s+/)[1] ?? '');
    }
  }
  const ds = signing.ds?.(made) ?? made;
  const lines = readFileSync(signedFile, 'utf8').split('\n');
  const served = signing.served?.(lines) ?? lines;
  const files = [join(own, 'bind'), join(own, 'nsd')] as const;
  writeFileSync(files[0], served.join('\n'));
  writeFileSync(files[1], (signing.servedByNsd?.(served) ?? served).join('\n'));
  return {
    name,
    files,
    ds,
    keys: keys.map((key) => `${key}.key`),
    delegation: [...delegation, ...ds.map((data) => `${apex} ${TTL} IN DS ${data}`)],
  };
}
