/** Other programs that judge zones, each as its users run it. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { verdictIn } from '../../kit/delv.ts';
import { fromPip } from '../../kit/outside-packages.ts';
import { type Complaints, eachZone, type OtherJudge } from './observed.ts';
import { type JudgedZone, RESOLVER, type World } from './world.ts';

const run = promisify(execFile);
const ENVIRONMENT = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
const RUN_MILLISECONDS = 120_000;
const ALL_MILLISECONDS = 1_200_000;
const MAX_OUTPUT = 500_000_000;
const TOGETHER = 2;

const CHECKDMARC = 'checkdmarc==6.0.4';
const DNSVIZ = 'dnsviz==0.11.2';
/** Debian's, which has the bindings of Graphviz that dnsviz asks for. */
const SYSTEM_PYTHON = '/usr/bin/python3';

/** What a program prints, whatever its exit code. `cwd`: where it may leave files. */
async function printed(program: string, args: readonly string[], cwd = tmpdir()): Promise<string> {
  const options = { cwd, env: ENVIRONMENT, timeout: RUN_MILLISECONDS, maxBuffer: MAX_OUTPUT };
  return run(program, args, options).then(
    ({ stdout, stderr }) => stdout + stderr,
    // What complains also fails; what did not run at all is no judge.
    (error: { readonly stdout?: string; readonly stderr?: string; readonly code?: unknown }) => {
      if (typeof error.code !== 'number') throw error;
      return `${error.stdout}${error.stderr}`;
    },
  );
}

async function missingProgram(program: string): Promise<string | undefined> {
  const found = await run('which', [program], { env: ENVIRONMENT }).then(
    () => true,
    () => false,
  );
  return found ? undefined : `${program} is not installed`;
}

const delv: OtherJudge = {
  name: 'delv',
  classes: ['DNSSEC'],
  missing: () => missingProgram('delv'),
  judge: (zones, { anchors, files }) => {
    const [tag, algorithm, type, digest] = (anchors[0] ?? '').split(' ');
    const file = join(files.folder, 'delv.anchors');
    writeFileSync(file, `trust-anchors { . static-ds ${tag} ${algorithm} ${type} "${digest}"; };\n`);
    return eachZone(zones, TOGETHER, async ({ domain }) => {
      const complaints: string[] = [];
      for (const [name, asked] of [
        [domain, 'SOA'],
        [domain, 'MX'],
        [domain, 'TXT'],
        [`_dmarc.${domain}`, 'TXT'],
        [`gone.${domain}`, 'A'],
      ]) {
        const said = verdictIn(
          await printed('delv', [`@${RESOLVER}`, '-a', file, '+root', name ?? '', asked ?? '']),
        );
        if (said !== 'secure') complaints.push(`${said} ${asked}`);
      }
      return complaints;
    });
  },
};

const dnsviz: OtherJudge = {
  name: 'dnsviz',
  classes: ['DNSSEC'],
  missing: async () => {
    const installed = await fromPip([DNSVIZ]);
    if ('missing' in installed) return installed.missing;
    return run(SYSTEM_PYTHON, ['-c', 'import pygraphviz, dns, cryptography']).then(
      () => undefined,
      () => 'Debian has no python3-pygraphviz, python3-dnspython and python3-cryptography here',
    );
  },
  judge: async (zones, { files }) => {
    const installed = await fromPip([DNSVIZ]);
    if ('missing' in installed) return new Map();
    const env = { ...process.env, PYTHONPATH: installed.folder };
    const options = { env, timeout: ALL_MILLISECONDS, maxBuffer: MAX_OUTPUT };
    const program = join(installed.folder, 'bin/dnsviz');
    const [probed, names] = [join(files.folder, 'dnsviz.probed'), zones.map(({ domain }) => domain)];
    const probe = ['probe', '-4', '-A', '-x', `.:${files.root}`, '-R', 'SOA,MX,TXT', '-o', probed, ...names];
    await run(SYSTEM_PYTHON, [program, ...probe], options);
    const grok = ['grok', '-t', files.rootKeys, '-l', 'warning', '-r', probed];
    const { stdout } = await run(SYSTEM_PYTHON, [program, ...grok], options);
    const said: Readonly<Record<string, unknown>> = JSON.parse(stdout);
    return new Map(names.map((name) => [name, [...new Set(codesIn(said[`${name}.`]))]]));
  },
};

/** The codes of all errors and warnings in an analysis of dnsviz. */
function codesIn(analysis: unknown): string[] {
  if (analysis === null || typeof analysis !== 'object') return [];
  return Object.entries(analysis).flatMap(([key, value]) => {
    if (!['errors', 'warnings'].includes(key)) return codesIn(value);
    return Object.values(value).map((it) => String((it as { readonly code: unknown }).code));
  });
}

interface ZonemasterMessage {
  readonly level: string;
  readonly module: string;
  readonly tag: string;
}

/** About addresses for documentation, which every zone here has. */
const aboutOurNetwork = ['ADDRESS', 'CONNECTIVITY'];

const zonemaster: OtherJudge = {
  name: 'Zonemaster',
  classes: ['DNSSEC', 'MX'],
  missing: () => missingProgram('zonemaster-cli'),
  judge: (zones, { files }) =>
    eachZone(zones, TOGETHER, async ({ domain }) => {
      const args = ['--no-ipv6', '--hints', files.hints, '--level', 'WARNING', '--json', '--raw', domain];
      const messages: readonly ZonemasterMessage[] = JSON.parse(await printed('zonemaster-cli', args));
      return messages.filter(({ module }) => !aboutOurNetwork.includes(module)).map(({ tag }) => tag);
    }),
};

const finger: OtherJudge = {
  name: 'posttls-finger',
  classes: ['DANE'],
  missing: () => missingProgram('posttls-finger'),
  judge: (zones, { files }) =>
    eachZone(zones, TOGETHER, async ({ domain }) => {
      const args = ['-c', '-t', '5', '-l', 'dane-only', '-F', files.authority, domain];
      const said = await printed('posttls-finger', args);
      return /^posttls-finger: Verified TLS connection established/m.test(said) ? [] : [lastLine(said)];
    }),
};

const danetool: OtherJudge = {
  name: 'danetool',
  classes: ['DANE'],
  missing: () => missingProgram('danetool'),
  judge: (zones, { files }) =>
    eachZone(zones, TOGETHER, async ({ domain }) => {
      const args = ['--check', `mx.${domain}`, '--port', '25', '--starttls-proto', 'smtp', '--local-dns'];
      const said = await printed('danetool', args, files.folder);
      return /^Verification: Certificate matches\.?\s*$/m.test(said) ? [] : [lastLine(said)];
    }),
};

const lastLine = (text: string): string =>
  text
    .trim()
    .split('\n')
    .at(-1)
    ?.replaceAll(/[\d.:[\]]{6,}/g, '') ?? '';

interface CheckedRecord {
  readonly valid?: boolean;
  readonly error?: string;
  readonly warnings?: readonly string[];
}

const checkdmarc: OtherJudge = {
  name: 'checkdmarc',
  classes: ['SPF', 'DMARC', 'TLS-RPT', 'MTA-STS', 'MX'],
  missing: async () => {
    const installed = await fromPip([CHECKDMARC]);
    return 'missing' in installed ? installed.missing : undefined;
  },
  judge: checkWithCheckdmarc,
};

const parts = {
  SPF: 'spf',
  DMARC: 'dmarc',
  'TLS-RPT': 'smtp_tls_reporting',
  'MTA-STS': 'mta_sts',
  MX: 'mx',
  DNSSEC: undefined,
  DANE: undefined,
} as const;

async function checkWithCheckdmarc(zones: readonly JudgedZone[], { files }: World): Promise<Complaints> {
  const installed = await fromPip([CHECKDMARC]);
  if ('missing' in installed) return new Map();
  const script = new URL('run-checkdmarc.py', import.meta.url).pathname;
  const { stdout } = await run('python3', [script, RESOLVER, ...zones.map(({ domain }) => domain)], {
    timeout: ALL_MILLISECONDS,
    maxBuffer: MAX_OUTPUT,
    env: {
      ...process.env,
      PYTHONPATH: installed.folder,
      SSL_CERT_FILE: files.authority,
      REQUESTS_CA_BUNDLE: files.authority,
    },
  });
  const said: Readonly<Record<string, Readonly<Record<string, CheckedRecord>>>> = JSON.parse(stdout);
  return new Map(
    zones.map(({ zone, domain }) => {
      const { valid, error, warnings = [] } = said[domain]?.[parts[zone.class] ?? ''] ?? {};
      const refused = valid === false || error !== undefined ? [error ?? 'not valid'] : [];
      return [domain, [...refused, ...warnings].map((text) => text.replaceAll(domain, '$'))];
    }),
  );
}

export const otherJudges: readonly OtherJudge[] = [delv, dnsviz, zonemaster, finger, danetool, checkdmarc];
