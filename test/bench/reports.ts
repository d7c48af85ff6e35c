/** How fast aggregate reports are parsed, compared with parsedmarc, and with how much memory. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { readFile } from '../../shared/reports/read-mail.ts';
import { installParsedmarc, PARSEDMARC } from './parsedmarc.ts';
import type { BenchRow } from './row.ts';

const run = promisify(execFile);

/** Takes half a minute, and as long again if parsedmarc is installed first. */
export async function benchReports(): Promise<readonly BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-reports-'));
  try {
    const rows: BenchRow[] = [];
    for (const addresses of [ROWS, FEW_ADDRESSES]) {
      rows.push(await comparedWithParsedmarc(await benchReading(addresses), folder));
    }
    return [...rows, await benchMemory(folder)];
  } finally {
    await rm(folder, { recursive: true });
  }
}

const ROWS = 20_000;
/** parsedmarc looks each address up once, so that repeated addresses make it faster. */
const FEW_ADDRESSES = 50;
const ROUNDS = 15;

/**
 * Creates rows in the format of Google from the given number of addresses; in the largest real report available, each
 * row has a different one.
 */
export function aggregateReport(rows: number, addresses = rows): Buffer {
  const address = (index: number): string => `198.${18 + (index >> 16)}.${(index >> 8) % 256}.${index % 256}`;
  const record = (index: number): string => `
  <record>
    <row>
      <source_ip>${address(index % addresses)}</source_ip>
      <count>${(index % 9) + 1}</count>
      <policy_evaluated>
        <disposition>none</disposition>
        <dkim>${index % 3 === 0 ? 'fail' : 'pass'}</dkim>
        <spf>pass</spf>
      </policy_evaluated>
    </row>
    <identifiers>
      <header_from>example.org</header_from>
    </identifiers>
    <auth_results>
      <dkim>
        <domain>example.org</domain>
        <result>pass</result>
        <selector>s${index % 3}</selector>
      </dkim>
      <spf>
        <domain>bounce${index % 50}.example.org</domain>
        <result>pass</result>
      </spf>
    </auth_results>
  </record>`;
  const head = `<?xml version="1.0" encoding="UTF-8" ?>
<feedback>
  <report_metadata>
    <org_name>reporter.example</org_name>
    <email>dmarc@reporter.example</email>
    <report_id>17</report_id>
    <date_range>
      <begin>1767225600</begin>
      <end>1767311999</end>
    </date_range>
  </report_metadata>
  <policy_published>
    <domain>example.org</domain>
    <adkim>r</adkim>
    <aspf>r</aspf>
    <p>none</p>
    <sp>none</sp>
    <pct>100</pct>
  </policy_published>`;
  return Buffer.from(
    `${head}${Array.from({ length: rows }, (_, index) => record(index)).join('')}\n</feedback>\n`,
  );
}

interface Measured {
  /** The name of the report. */
  readonly name: string;
  readonly packed: Buffer;
  /** Seconds of one core. */
  readonly ours: number;
}

/** Takes the best of the rounds, since other load on the machine only adds time. */
async function benchReading(addresses: number): Promise<Measured> {
  const name = `DMARC report of ${ROWS.toLocaleString('en')} rows from ${addresses.toLocaleString('en')} addresses`;
  const packed = gzipSync(aggregateReport(ROWS, addresses));
  return { name, packed, ours: await best(() => parseCompletely(packed)) };
}

async function best(work: () => Promise<void>): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await cpuSeconds(work));
  return Math.min(...rounds);
}

async function cpuSeconds(work: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

async function parseCompletely(packed: Buffer): Promise<void> {
  const [outcome] = await readFile('report.xml.gz', packed);
  if (outcome?.outcome !== 'dmarc' || outcome.counts.records !== ROWS)
    throw new Error('the report was not parsed');
}

const PYTHON_ROUNDS = 3;
/** Parses a small report first, so that what is loaded at first use does not count. */
const SCRIPT = `
import sys, time, logging
logging.disable(logging.CRITICAL)
import parsedmarc
def read(name):
    data = open(name, "rb").read()
    start = time.process_time()
    report = parsedmarc.parse_aggregate_report_file(data, offline=True, always_use_local_files=True)
    return time.process_time() - start, len(report["records"])
read(sys.argv[1])
took, rows = read(sys.argv[2])
assert rows == int(sys.argv[3])
print(took)
`;

async function comparedWithParsedmarc(measured: Measured, folder: string): Promise<BenchRow> {
  const { ours, packed } = measured;
  const name = `${measured.name}, beside parsedmarc ${PARSEDMARC}, without network`;
  const goal = 'at least 5 times';
  const python = await installParsedmarc();
  if (python === undefined)
    return { name, value: 'skipped: parsedmarc cannot be installed here', goal, met: true };
  const [first, file] = [join(folder, 'first.xml.gz'), join(folder, 'report.xml.gz')];
  await writeFile(first, gzipSync(aggregateReport(1)));
  await writeFile(file, packed);
  const rounds: number[] = [];
  for (let round = 0; round < PYTHON_ROUNDS; round++) {
    rounds.push(Number((await run(python, ['-c', SCRIPT, first, file, String(ROWS)])).stdout));
  }
  const theirs = Math.min(...rounds);
  const ratio = theirs / ours;
  const value = `${perSecond(ours)} compared with ${perSecond(theirs)} rows per second: ${ratio.toFixed(1)} times`;
  return { name, value, goal, met: ratio >= 5 };
}

const MANY_ROWS = 200_000;
const READER = `
import { readFileSync } from 'node:fs';
const [readerUrl, memoryUrl, file] = process.argv.slice(1);
const { readFile } = await import(readerUrl);
const { peakMegabytes } = await import(memoryUrl);
const [outcome] = await readFile('report.xml.gz', readFileSync(file));
let rows = 0;
await outcome.eachRecords((batch) => { rows += batch.length; });
console.log(JSON.stringify({ rows, megabytes: peakMegabytes() }));
`;

/**
 * The peak memory of a separate process, including Node itself, for parsing the report and reading its rows again.
 */
async function benchMemory(folder: string): Promise<BenchRow> {
  const file = join(folder, 'large.xml.gz');
  await writeFile(file, gzipSync(aggregateReport(MANY_ROWS)));
  const reader = new URL('../../shared/reports/read-mail.ts', import.meta.url).href;
  const memory = new URL('../kit/peak-memory.ts', import.meta.url).href;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', READER, reader, memory, file]);
  const { rows, megabytes } = JSON.parse(stdout);
  return {
    name: `Memory for parsing a DMARC report of ${MANY_ROWS.toLocaleString('en')} rows`,
    value: `${megabytes.toFixed(0)} MB at most`,
    goal: 'under 256 MB',
    met: rows === MANY_ROWS && megabytes < 256,
  };
}

const perSecond = (seconds: number): string => Math.round(ROWS / seconds).toLocaleString('en');
