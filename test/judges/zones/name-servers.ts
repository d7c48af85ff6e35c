/** BIND and NSD on the addresses of a small internet, and BIND as the resolver that validates what they serve. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ZoneFiles } from './zone-files.ts';

const ENVIRONMENT = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };

const apexOf = ({ name }: ZoneFiles) => (name === '' ? '.' : name);

/** NSD at one address, for zones and their files. */
export function startNsd(folder: string, address: string, zones: readonly ZoneFiles[]): ChildProcess {
  const own = join(folder, `nsd-${address}`);
  mkdirSync(own);
  const file = join(own, 'nsd.conf');
  writeFileSync(
    file,
    [
      ...[
        'server:',
        ` ip-address: ${address}`,
        ' username: ""',
        ' chroot: ""',
        ' database: ""',
        ' server-count: 1',
      ],
      ...['pid', 'zonelist', 'xfrd'].map((it) => ` ${it}file: "${own}/${it}"`),
      ...[
        ` logfile: "${own}/log"`,
        ` xfrdir: "${own}"`,
        ' rrl-ratelimit: 0',
        'remote-control:',
        ' control-enable: no',
      ],
      ...zones.flatMap((zone) => ['zone:', ` name: "${apexOf(zone)}"`, ` zonefile: "${zone.files[1]}"`]),
      '',
    ].join('\n'),
  );
  return spawn('nsd', ['-d', '-c', file], { stdio: 'ignore', env: ENVIRONMENT });
}

/** BIND as an authority at one address. */
export function startAuthority(folder: string, address: string, zones: readonly ZoneFiles[]): ChildProcess {
  return startNamed(folder, address, [
    'recursion no; dnssec-validation no; allow-transfer { none; }; check-names primary ignore; check-spf ignore; check-mx ignore;',
    'check-mx-cname ignore; check-srv-cname ignore; check-dup-records ignore; check-sibling no; check-wildcard no; };',
    ...zones.map(
      (zone) => `zone "${apexOf(zone)}" { type primary; check-integrity no; file "${zone.files[0]}"; };`,
    ),
  ]);
}

/** BIND as a validating resolver at one address, which starts at `root` and trusts the DS records of `anchors`. */
export function startRecursor(
  folder: string,
  address: string,
  root: readonly [name: string, address: string],
  anchors: readonly string[],
): ChildProcess {
  const hints = join(folder, 'hints');
  writeFileSync(hints, `. 3600 IN NS ${root[0]}.\n${root[0]}. 3600 IN A ${root[1]}\n`);
  const trusted = anchors.map((data) => {
    const [tag, algorithm, type, digest] = data.split(' ');
    return `. static-ds ${tag} ${algorithm} ${type} "${digest}";`;
  });
  return startNamed(folder, address, [
    'recursion yes; dnssec-validation yes; empty-zones-enable no; servfail-ttl 0; max-ncache-ttl 1; max-cache-ttl 1; };',
    `trust-anchors { ${trusted.join(' ')} };`,
    `zone "." { type hint; file "${hints}"; };`,
  ]);
}

function startNamed(folder: string, address: string, rest: readonly string[]): ChildProcess {
  const own = join(folder, `bind-${address}`);
  mkdirSync(own);
  const file = join(own, 'named.conf');
  writeFileSync(
    file,
    [
      `options { directory "${own}"; listen-on { ${address}; }; listen-on-v6 { none; }; notify no;`,
      `  pid-file "${own}/pid"; session-keyfile "${own}/session.key"; querylog no;`,
      ...rest,
      'controls { };',
      '',
    ].join('\n'),
  );
  return spawn('named', ['-g', '-c', file, '-n', '1'], { stdio: 'ignore', env: ENVIRONMENT });
}

/** Waits until each has ended. */
export async function stopAll(children: readonly ChildProcess[]): Promise<void> {
  await Promise.all(
    children.map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const closed = once(child, 'exit');
      child.kill('SIGTERM');
      await closed;
    }),
  );
}
