/**
 * AWS's own DynamoDB Local, which shares its request validation with DynamoDB. Its files come from Maven Central on
 * first use, into the folder for temporary files; their checksums are those of `dynamodb-local.sha256`.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

export interface DynamoDbLocal {
  readonly endpoint: string;
  stop(): Promise<void>;
}

const MAVEN_CENTRAL = 'https://repo1.maven.org/maven2';
const CHECKSUMS = new URL('dynamodb-local.sha256', import.meta.url);
const MAIN = 'com.amazonaws.services.dynamodbv2.local.main.ServerRunner';
const JAVA_VERSION = 17;
const DOWNLOAD_MILLISECONDS = 60_000;
const START_MILLISECONDS = 30_000;
/** The process ends after this time, however the test run ends. */
const LIFETIME_SECONDS = 300;

/** Downloads the files that are not there yet. Returns their folder, or why DynamoDB Local cannot run here. */
export async function findDynamoDbLocal(): Promise<{ folder: string } | { missing: string }> {
  // Of its native libraries for Linux, DynamoDB Local has this one only.
  if (process.platform !== 'linux' || process.arch !== 'x64') return { missing: 'no Linux on x64' };
  if (javaVersion() < JAVA_VERSION) return { missing: `no Java ${JAVA_VERSION}` };
  const list = await readFile(CHECKSUMS, 'utf8');
  const folder = join(tmpdir(), `dynamodb-local-${sha256(list).slice(0, 16)}`);
  await mkdir(folder, { recursive: true });
  const signal = AbortSignal.timeout(DOWNLOAD_MILLISECONDS);
  try {
    await Promise.all(
      list
        .trim()
        .split('\n')
        .map((line) => {
          const [checksum = '', path = ''] = line.split('  ');
          return download(path, checksum, folder, signal);
        }),
    );
  } catch (error) {
    return { missing: `no download of DynamoDB Local: ${error}` };
  }
  return { folder };
}

/** Starts it with an empty memory, on a free port of all addresses: it has no setting for one address. */
export async function startDynamoDbLocal(folder: string): Promise<DynamoDbLocal> {
  const port = await freePort();
  const java = ['java', '-Xmx512m', `-Djava.library.path=${folder}`, '-cp', join(folder, '*'), MAIN];
  const child = spawn(
    'timeout',
    [String(LIFETIME_SECONDS), ...java, '-inMemory', '-disableTelemetry', '-port', String(port)],
    { stdio: 'ignore' },
  );
  const closed = once(child, 'close');
  const stop = async () => {
    child.kill();
    await closed;
  };
  const endpoint = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(endpoint).then(
      () => true,
      () => false,
    );
  try {
    await until(answers, {
      timeoutMilliseconds: START_MILLISECONDS,
      intervalMilliseconds: 100,
      what: 'that DynamoDB Local answers',
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoint, stop };
}

/** 0 without Java. */
function javaVersion(): number {
  try {
    const release = execFileSync('java', ['--version'], { encoding: 'utf8' });
    return Number(/^\S+ (\d+)/.exec(release)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

async function download(path: string, checksum: string, folder: string, signal: AbortSignal): Promise<void> {
  const file = join(folder, basename(path));
  const present = await readFile(file).catch(() => undefined);
  if (present !== undefined && sha256(present) === checksum) return;
  const response = await fetch(`${MAVEN_CENTRAL}/${path}`, { signal });
  const content = Buffer.from(await response.arrayBuffer());
  if (!response.ok || sha256(content) !== checksum) throw new Error(`${path}: HTTP ${response.status}`);
  // Another test can download the same file at the same time.
  const partial = join(folder, `${randomUUID()}.part`);
  await writeFile(partial, content);
  await rename(partial, file);
}

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');
