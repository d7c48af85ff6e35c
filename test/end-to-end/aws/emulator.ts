/** MiniStack, an AWS emulator that enforces IAM policies and runs Lambda functions as Node processes. */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../kit/free-port.ts';
import { killGroup } from '../../kit/kill-group.ts';
import { until } from '../../kit/until.ts';

const VERSION = '1.5.33';
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const INSTALL_MILLISECONDS = 120_000;
const START_MILLISECONDS = 60_000;

/** The runtime of the functions is Node 24, and the emulator runs them with the Node of the test. */
const LAMBDA_NODE = 24;

/** The Python packages of the emulator, kept for the next run. */
const packages = join(tmpdir(), `domain-monitor-ministack-${VERSION}`);

export const REGION = 'eu-west-1';
export const ACCOUNT = '000000000000';

export interface Emulator {
  readonly url: string;
  /** Environment variables for programs that use it as AWS. */
  readonly environment: Readonly<Record<string, string>>;
  /** Its log so far. */
  readonly output: () => string;
  stop(): Promise<void>;
}

/** Installs the emulator if it is not installed. Returns why it cannot run on this machine; undefined if it can. */
export async function missingForEmulator(): Promise<string | undefined> {
  if (Number(process.versions.node.split('.')[0]) < LAMBDA_NODE) return `no Node ${LAMBDA_NODE}`;
  if (existsSync(packages)) return undefined;
  const folder = mkdtempSync(`${packages}-`);
  try {
    const options = ['--quiet', '--disable-pip-version-check', '--target', folder];
    await promisify(execFile)('python3', ['-m', 'pip', 'install', ...options, `ministack==${VERSION}`], {
      timeout: INSTALL_MILLISECONDS,
    });
    // Another test run may have installed it in the meantime.
    if (!existsSync(packages)) renameSync(folder, packages);
    return undefined;
  } catch {
    return `python3 -m pip install ministack==${VERSION} failed`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param sender The address that SES is to see as the sender of every mail. */
export async function startEmulator(sender: string): Promise<Emulator> {
  const folder = mkdtempSync(join(tmpdir(), 'emulator-'));
  const port = await freePort();
  // Programs would resolve names below "localhost", which not every system does.
  const url = `http://127.0.0.1:${port}`;
  const log = join(folder, 'log');
  const output = openSync(log, 'w');
  const objects = join(folder, 'objects');
  mkdirSync(objects);
  const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
  const child = spawn('python3', [fileURLToPath(new URL('emulator.py', import.meta.url))], {
    cwd: folder,
    // Its functions are processes of the same group.
    detached: true,
    stdio: ['ignore', output, output],
    env: {
      PATH: path,
      HOME: folder,
      TMPDIR: folder,
      PYTHONPATH: packages,
      PYTHONDONTWRITEBYTECODE: '1',
      // The runtime of AWS includes the SDK.
      NODE_PATH: join(ROOT, 'node_modules'),
      ALERT_SENDER: sender,
      AUTH: 'true',
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      IOT_MTLS_ENABLED: '0',
      LAMBDA_EXECUTOR: 'local',
      LAMBDA_STRICT: '0',
      MINISTACK_REGION: REGION,
      S3_DATA_DIR: objects,
      SFTP_ENABLED: '0',
    },
  });
  const stopAtExit = () => killGroup(child);
  process.once('exit', stopAtExit);
  const emulator = {
    url,
    environment: {
      PATH: path,
      HOME: folder,
      AWS_ENDPOINT_URL: url,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    output: () => readFileSync(log, 'utf8'),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const closed = once(child, 'close');
        killGroup(child);
        await closed;
      }
      process.off('exit', stopAtExit);
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
  try {
    await until(() => isUp(url, child), {
      timeoutMilliseconds: START_MILLISECONDS,
      what: 'that the emulator responds',
    });
    return emulator;
  } catch (error) {
    const text = emulator.output();
    await emulator.stop();
    throw new Error(`the emulator did not start:\n${text}`, { cause: error });
  }
}

async function isUp(url: string, { exitCode }: ChildProcess): Promise<boolean> {
  if (exitCode !== null) throw new Error(`it exited with code ${exitCode}`);
  const response = await fetch(`${url}/_ministack/health`).catch(() => undefined);
  await response?.body?.cancel();
  return response?.ok ?? false;
}
