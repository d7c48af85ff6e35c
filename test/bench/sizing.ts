/**
 * How long functions take with the share of a processor that Lambda gives for their memory (1,769 MB: a whole one; AWS,
 * "Configure Lambda function memory"), and with which memory they are cheapest. Linux limits the processor (cpu.cfs_quota_us of
 * cgroups, version 1, for which root is needed).
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readCloudAssembly } from '../kit/assembly/cloud-assembly.ts';
import { codeOf } from '../kit/assembly/code.ts';
import { environmentOf } from '../kit/assembly/environment.ts';
import { createLinks } from '../kit/assembly/links.ts';
import { synthesize } from '../kit/assembly/synthesize.ts';
import { readWiring } from '../kit/assembly/wiring.ts';
import { median } from './measuring.ts';
import type { BenchRow } from './row.ts';

const SIZES = [256, 512, 1024, 1769] as const;
const WHOLE = 1769;
const PERIOD_MICROSECONDS = 20_000;
const GROUP = '/sys/fs/cgroup/cpu/bench-sizing';
/** A process that writes its ID here is limited from then on. */
const MEMBERS = join(GROUP, 'cgroup.procs');
const ROUNDS = 3;
const PATIENCE_MILLISECONDS = 120_000;

/** Programs that print how many milliseconds a unit of their work takes. */
const WORK = { 'a report mail of ten rows': 'mail', 'a check of a domain, at 20 ms a round trip': 'check' };

export async function benchSizing(): Promise<readonly BenchRow[]> {
  const name = 'Durations with the share of a processor of each memory size';
  const goal = 'none: the figures are in docs/cost-and-scale.md';
  if (!existsSync('/sys/fs/cgroup/cpu/cpu.cfs_quota_us') || process.getuid?.() !== 0)
    return [{ name, value: 'skipped: no cgroups of version 1, or not root', goal, met: null }];
  mkdirSync(GROUP, { recursive: true });
  const folder = await mkdtemp(join(tmpdir(), 'sizing-'));
  try {
    await synthesize(folder);
    const links = createLinks(readCloudAssembly(folder));
    const { routes, consumers } = readWiring(links);
    const lambdas = [
      ...routes.filter(({ path, method }) => path === '/api/v1/domains' && method === 'GET'),
      ...consumers.filter((one) => ['checks', 'reports'].includes(one.name)),
    ].map(({ lambda }) => lambda);
    const rows: BenchRow[] = [];
    for (const lambda of lambdas) {
      const { file } = codeOf(lambda, links);
      const env = environmentOf(lambda, links.identify, links.assembly.place, {});
      const script = join(folder, 'load.mjs');
      await writeFile(
        script,
        `import { writeFileSync } from 'node:fs';
writeFileSync('${MEMBERS}', String(process.pid));
const started = performance.now();
await import(${JSON.stringify(pathToFileURL(file).href)});
console.log(performance.now() - started);
process.exit();`,
      );
      rows.push(await row(`loading: ${lambda.properties.Description}`, [script], env));
    }
    const here = fileURLToPath(import.meta.url);
    for (const [what, work] of Object.entries(WORK)) rows.push(await row(what, [here, work], { PATH: '' }));
    return rows;
  } finally {
    await rm(folder, { recursive: true });
    rmdirSync(GROUP);
  }

  async function row(what: string, args: string[], env: Record<string, string>): Promise<BenchRow> {
    const measured: string[] = [];
    for (const megabytes of SIZES) {
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) times.push(await limited(megabytes, args, env));
      const milliseconds = median(times);
      const cost = (milliseconds / 1000) * (megabytes / 1024) * DOLLARS_PER_GB_SECOND * 1e6;
      measured.push(`${megabytes} MB ${milliseconds.toFixed(0)} ms, $${cost.toFixed(2)} a million`);
    }
    return { name: `${name}: ${what}`, value: measured.join('; '), goal, met: true };
  }
}

/** us-east-1, ARM. */
const DOLLARS_PER_GB_SECOND = 0.0000133334;

/** What a program prints that runs with the share of a processor that so much memory has. */
async function limited(megabytes: number, args: string[], env: Record<string, string>): Promise<number> {
  const quota = Math.min(PERIOD_MICROSECONDS, Math.round((PERIOD_MICROSECONDS * megabytes) / WHOLE));
  writeFileSync(join(GROUP, 'cpu.cfs_period_us'), String(PERIOD_MICROSECONDS));
  writeFileSync(join(GROUP, 'cpu.cfs_quota_us'), String(quota));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: PATIENCE_MILLISECONDS,
  });
  let printed = '';
  for await (const chunk of child.stdout) printed += chunk;
  return Number(printed);
}

/** Prints the milliseconds of one unit of some work, after the code is warm. */
async function work(kind: string): Promise<void> {
  const { measureMail } = await import('./mails.ts');
  const { measureCheck } = await import('./checks.ts');
  const unit = kind === 'mail' ? await measureMail() : measureCheck;
  for (let n = 0; n < 20; n += 1) await unit(n);
  writeFileSync(MEMBERS, String(process.pid));
  const started = performance.now();
  for (let n = 20; n < 60; n += 1) await unit(n);
  console.log((performance.now() - started) / 40);
  process.exit();
}

const [, program, kind] = process.argv;
if (program === fileURLToPath(import.meta.url) && kind !== undefined) await work(kind);
