/**
 * A full check of one domain compared with checkdmarc. Both use the same name server with a 20 ms delay and the same
 * mail and web hosts. checkdmarc is installed outside the project, if possible. Its runs are separate processes with
 * empty caches, without the start of Python; ours have empty caches too, and a warm process like that of the service.
 * checkdmarc checks DNSSEC, SOA, NS, MX with STARTTLS, SPF, DMARC, TLS-RPT, MTA-STS and BIMI; ours checks the same,
 * plus DKIM and DANE.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { inspectDomain } from '../../shared/checks/inspect.ts';
import type { CheckResults } from '../../shared/checks/results.ts';
import type { Endpoint } from '../../shared/network/dialer.ts';
import { createNetwork } from '../../shared/network/network.ts';
import { rootAnchors } from '../../shared/protocol/dnssec/anchors.ts';
import type { BenchRow } from './row.ts';
import type { SimulatedNetwork } from './simulated-network.ts';

const run = promisify(execFile);

const VERSION = '6.0.4';
const VENV = join(tmpdir(), `email-domain-security-monitor-checkdmarc-${VERSION}`);
const PYTHON = join(VENV, 'bin', 'python');
const INSTALL_MILLISECONDS = 180_000;
const CHECK_MILLISECONDS = 60_000;
const ROUNDS = 5;
const GOAL = 5;

export async function benchCheckdmarc(): Promise<readonly BenchRow[]> {
  const problem = await install();
  if (problem !== undefined) return [skipped(problem)];
  const { network, stop } = await startNetwork();
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const authorities = join(folder, 'authority.pem');
  writeFileSync(authorities, network.authority);
  try {
    return [await compare(network, authorities)];
  } finally {
    stop();
    rmSync(folder, { recursive: true });
  }
}

/** Rounds alternate between the two, so that other load on the machine affects both. */
async function compare(network: SimulatedNetwork, authorities: string): Promise<BenchRow> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const took = { ours: await checkOurs(network), theirs: await checkTheirs(network, authorities) };
    if (round < 0) continue;
    ours.push(took.ours);
    theirs.push(took.theirs);
  }
  const ratio = median(theirs) / median(ours);
  return {
    name: `Full check of a domain at ${network.delayMilliseconds} ms per DNS response, compared with checkdmarc ${VERSION}`,
    value: `${Math.round(median(ours))} ms compared with ${Math.round(median(theirs))} ms: ${ratio.toFixed(1)} times`,
    goal: `at least ${GOAL} times`,
    met: ratio >= GOAL,
  };
}

async function checkOurs(network: SimulatedNetwork): Promise<number> {
  const dialMap = new Map<string, Endpoint>(
    Object.entries(network.ports).map(([host, port]) => [host, { address: '127.0.0.1', port }]),
  );
  const made = createNetwork({
    dnsServers: [{ address: '127.0.0.1', port: network.dnsPort }],
    dialMap,
    extraCa: network.authority,
    ehloName: 'bench.example.org',
  });
  const inspected = { domain: network.domain, testEmailLocalPart: null, knownSelectors: [] };
  const started = performance.now();
  const results = await inspectDomain(inspected, { network: made, trustAnchors: rootAnchors });
  const took = performance.now() - started;
  const { mx, spf, dmarc, mtaSts, tlsRpt, bimi } = results satisfies CheckResults;
  requireTrue('ours', [mx.tlsSupported, spf.valid, dmarc.valid, mtaSts.valid, tlsRpt.valid, bimi.logoValid]);
  return took;
}

async function checkTheirs(network: SimulatedNetwork, authorities: string): Promise<number> {
  const script = new URL('run-checkdmarc.py', import.meta.url).pathname;
  const { stdout } = await run(PYTHON, [script, JSON.stringify(network)], {
    timeout: CHECK_MILLISECONDS,
    maxBuffer: 10_000_000,
    env: { ...process.env, SSL_CERT_FILE: authorities, REQUESTS_CA_BUNDLE: authorities },
  });
  const { seconds, results } = JSON.parse(stdout);
  const { mx, spf, dmarc, mta_sts, smtp_tls_reporting, bimi } = results;
  requireTrue('checkdmarc', [spf.valid, dmarc.valid, mta_sts.valid, smtp_tls_reporting.valid, bimi.valid]);
  requireTrue(
    'checkdmarc',
    mx.hosts.map((host: { readonly starttls: boolean }) => host.starttls),
  );
  return seconds * 1000;
}

/** Throws if a side did not find existing records: it has not done the work. */
function requireTrue(side: string, facts: readonly unknown[]): void {
  if (!facts.every((fact) => fact === true))
    throw new Error(`${side} did not find everything: ${JSON.stringify(facts)}`);
}

/** Why checkdmarc is not available for the comparison; undefined if it is. */
async function install(): Promise<string | undefined> {
  if (existsSync(join(VENV, 'complete'))) return undefined;
  const timeout = INSTALL_MILLISECONDS;
  try {
    await run('python3', ['-m', 'venv', VENV], { timeout });
    await run(PYTHON, ['-m', 'pip', 'install', '--quiet', `checkdmarc==${VERSION}`], { timeout });
    writeFileSync(join(VENV, 'complete'), '');
    return undefined;
  } catch (error) {
    return String(error instanceof Error ? error.message : error).split('\n', 1)[0];
  }
}

function skipped(problem: string): BenchRow {
  const name = `Full check of a domain, beside checkdmarc ${VERSION}`;
  return {
    name,
    value: `skipped: it cannot be installed (${problem})`,
    goal: `at least ${GOAL} times`,
    met: null,
  };
}

async function startNetwork(): Promise<{ readonly network: SimulatedNetwork; stop(): void }> {
  const child = spawn(process.execPath, [new URL('simulated-network.ts', import.meta.url).pathname], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await Promise.race([
    new Promise<[string]>((resolve) => createInterface(child.stdout).once('line', (it) => resolve([it]))),
    new Promise<never>((_, reject) =>
      child.once('exit', () => reject(new Error('the simulated network did not start'))),
    ),
  ]);
  return { network: JSON.parse(line), stop: () => child.stdin.end() };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
