/** The size of each uploaded function, and its cold start time compared with an empty handler. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type Resource, readCloudAssembly } from '../kit/assembly/cloud-assembly.ts';
import { type Code, codeOf } from '../kit/assembly/code.ts';
import { environmentOf } from '../kit/assembly/environment.ts';
import { createLinks } from '../kit/assembly/links.ts';
import { synthesize } from '../kit/assembly/synthesize.ts';
import { readWiring } from '../kit/assembly/wiring.ts';
import { median } from './measuring.ts';
import type { BenchRow } from './row.ts';

const ROUNDS = 9;

/** Size limit of an API handler in bytes, including the AWS SDK. */
const BUDGET = 400_000;

/** @param isMeasured Which functions, by names such as `GET /domains` or `queue reports`; all by default. */
export async function benchBundles(
  isMeasured: (name: string) => boolean = () => true,
): Promise<readonly BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bundles-'));
  try {
    await synthesize(folder);
    const links = createLinks(readCloudAssembly(folder));
    const { routes, fallback, consumers, schedules } = readWiring(links);
    const empty = join(folder, 'empty.mjs');
    await writeFile(empty, 'export const handler = async () => ({});');
    const measured = async (name: string, lambda: Resource, isApi: boolean) =>
      row(
        name,
        isApi,
        codeOf(lambda, links),
        environmentOf(lambda, links.identify, links.assembly.place, {}),
        empty,
      );
    const rows: BenchRow[] = [];
    for (const { method, path, lambda } of routes)
      if (isMeasured(`${method} ${path}`)) rows.push(await measured(`${method} ${path}`, lambda, true));
    if (isMeasured('any other request')) rows.push(await measured('any other request', fallback, true));
    for (const { name, lambda } of consumers)
      if (isMeasured(`queue ${name}`)) rows.push(await measured(`queue ${name}`, lambda, false));
    // All parts of a schedule invoke the same function.
    for (const { source, lambda } of schedules.filter(({ event }) => event.part === 0)) {
      if (!isMeasured(`schedule ${source.everySeconds}`)) continue;
      rows.push(
        await measured(`every ${source.everySeconds} s: ${lambda.properties.Description}`, lambda, false),
      );
    }
    return rows;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function row(
  name: string,
  isApi: boolean,
  { file }: Code,
  environment: Record<string, string>,
  empty: string,
): Promise<BenchRow> {
  const code = await readFile(file);
  const [own, least]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    own.push(await coldStart(file, environment));
    least.push(await coldStart(empty, environment));
  }
  const ratio = median(own) / median(least);
  return {
    name: `${name}: bundle size, and cold start compared with an empty handler`,
    value: `${kB(code.length)} kB, ${kB(gzipSync(code).length)} kB as gzip; ${Math.round(median(own))} ms: ${ratio.toFixed(1)} times ${Math.round(median(least))} ms`,
    goal: isApi ? `at most ${kB(BUDGET)} kB` : 'none, because no request waits for it',
    met: !isApi || code.length <= BUDGET,
  };
}

/** Milliseconds from the start of a Node process until the handler of a bundle can be called. */
async function coldStart(file: string, environment: Record<string, string>): Promise<number> {
  const script = `await import(${JSON.stringify(pathToFileURL(file).href)}); console.log(performance.now()); process.exit();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    env: environment,
    timeout: 20_000,
  });
  return Number(stdout);
}

const kB = (bytes: number): number => Math.round(bytes / 1000);
