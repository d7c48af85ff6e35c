/** How fast an archive is imported: the command from its start to its end, compared with parsedmarc that writes JSON. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { dmarcXml, yesterday } from '../kit/report-mails.ts';
import { bootService, runToEnd } from '../kit/service.ts';
import { registered, secondsOf } from './measuring.ts';
import { installParsedmarc, runParsedmarc } from './parsedmarc.ts';
import type { BenchRow } from './row.ts';

const FILES = 3_000;
const ROWS = 10;
/** The reports begin on these days. */
const DAYS = 300;
/** Each program runs as often, in turn; the best time counts, because other load on the machine only adds time. */
const ROUNDS = 3;
const GOAL = 3;
const DOMAIN = 'weak.test';

export async function benchImport(): Promise<readonly BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-import-'));
  try {
    const archive = join(folder, 'archive');
    const files = writeArchive(archive);
    const data = await dataFolder(folder);
    const parsedmarc = await installParsedmarc();
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      const copy = join(folder, 'copy');
      cpSync(data, copy, { recursive: true });
      ours.push(await secondsOf(() => importInto(copy, archive)));
      rmSync(copy, { recursive: true });
      if (parsedmarc !== undefined)
        theirs.push(
          await secondsOf(() =>
            runParsedmarc(parsedmarc, folder, `output = ${join(folder, 'output')}\n`, files),
          ),
        );
    }
    const [mine, peer] = [Math.min(...ours), Math.min(...theirs)];
    const what = `${FILES.toLocaleString('en')} files of ${ROWS} rows in ${mine.toFixed(1)} s`;
    return [
      {
        name: 'Import of an archive, compared with the command of parsedmarc on all cores',
        value:
          parsedmarc === undefined
            ? `${what}; parsedmarc cannot be installed here`
            : `${what}, parsedmarc in ${peer.toFixed(1)} s: ${(peer / mine).toFixed(1)} times`,
        goal: `at least ${GOAL} times`,
        met: parsedmarc === undefined ? null : peer / mine >= GOAL,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the names of the files. */
function writeArchive(folder: string): string[] {
  mkdirSync(folder);
  return Array.from({ length: FILES }, (_, n) => {
    const begin = yesterday - 86_400 * (n % DAYS);
    const rows = Array.from({ length: ROWS }, (__, at) => ({
      count: at + 1,
      result: at % 3 === 0 ? ('fail' as const) : ('pass' as const),
      selector: `s${at % 3}`,
    }));
    const file = join(folder, `reporter.example!${DOMAIN}!${begin}!${begin + 86_399}!${n}.xml.gz`);
    writeFileSync(file, gzipSync(dmarcXml({ domain: DOMAIN, id: `r${n}`, begin, rows })));
    return file;
  });
}

/** A data folder with the domain. */
async function dataFolder(folder: string): Promise<string> {
  const DATA_DIR = join(folder, 'data');
  mkdirSync(DATA_DIR);
  const service = await bootService({ DATA_DIR });
  await registered(service, DOMAIN);
  await service.end('SIGTERM');
  return DATA_DIR;
}

async function importInto(DATA_DIR: string, archive: string): Promise<void> {
  const { code, output } = await runToEnd('admin.ts', ['import-reports', DOMAIN, archive], { DATA_DIR });
  if (code !== 0 || !output.includes(`${FILES}  accepted`)) throw new Error(output);
}
