/**
 * `npm start` in its own process group, which can be killed as a whole and restarted with the same ports and data.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TOKEN_FILE } from '../../lib/local/host/data-files.ts';
import { adminInProcess } from './admin.ts';
import { compileCache } from './compile-cache.ts';
import { freePort } from './free-port.ts';
import { killGroup } from './kill-group.ts';
import { until } from './until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** How many starts may fail because the previous process is not completely gone. */
const MOST_STARTS = 20;

/** A domain that receives reports. */
export interface Registered {
  readonly id: string;
  readonly domain: string;
  /** The address of its report mailbox. */
  readonly address: string;
}

/** Longer than a busy machine needs, and longer than an interrupted delivery waits for the end of its lease. */
const PATIENCE_MILLISECONDS = 240_000;

/** Waits for something that kills delay. */
export const untilAfterKills = (what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> =>
  until(isTrue, { what, timeoutMilliseconds: PATIENCE_MILLISECONDS, intervalMilliseconds: 20 });

export class KillableService {
  readonly port: number;
  readonly smtpPort: number;
  readonly dataDir = mkdtempSync(join(tmpdir(), 'killed-'));
  readonly #environment: Readonly<Record<string, string>>;
  #token = '';
  #isRemoved = false;
  #output = '';
  #npm: ChildProcess | undefined;

  private constructor(environment: Readonly<Record<string, string>>, port: number, smtpPort: number) {
    this.#environment = environment;
    this.port = port;
    this.smtpPort = smtpPort;
  }

  /** Picks two free ports and starts the service. */
  static async start(environment: Readonly<Record<string, string>>): Promise<KillableService> {
    const service = new KillableService(environment, await freePort(), await freePort());
    await service.start();
    return service;
  }

  /** Whether it was removed and is not started again. */
  get isRemoved(): boolean {
    return this.#isRemoved;
  }

  /** Everything that it has printed since its first start. */
  get output(): string {
    return this.#output;
  }

  /** Returns after it printed its banner. `more` applies to this start only. */
  async start(more: Readonly<Record<string, string>> = {}): Promise<void> {
    for (let attempt = 1; attempt <= MOST_STARTS; attempt += 1) {
      if (await this.#startOnce(more)) return;
    }
    throw new Error(`the service did not start:\n${this.#output}`);
  }

  async #startOnce(more: Readonly<Record<string, string>>): Promise<boolean> {
    const { PATH = '', HOME = '' } = process.env;
    const npm = spawn('npm', ['start'], {
      cwd: ROOT,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...{ PATH, HOME, LOG_LEVEL: 'error', API_RATE_PER_MINUTE: '0', RDAP_BOOTSTRAP: 'off' },
        ...compileCache,
        ...{ PORT: String(this.port), SMTP_PORT: String(this.smtpPort), DATA_DIR: this.dataDir },
        ...this.#environment,
        ...more,
      },
    });
    this.#npm = npm;
    // A test run that is broken off leaves no group behind.
    const killAtExit = () => killGroup(npm);
    process.once('exit', killAtExit);
    npm.once('close', () => process.off('exit', killAtExit));
    let printed = '';
    const banner = new Promise<boolean>((resolve) => {
      for (const stream of [npm.stdout, npm.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          printed += chunk.toString('utf8');
          this.#output += chunk.toString('utf8');
          if (!/^ {2}API token .*$/m.test(printed)) return;
          this.#token = readFileSync(join(this.dataDir, TOKEN_FILE), 'utf8').trim();
          resolve(true);
        });
      }
      npm.once('close', () => resolve(false));
    });
    return banner;
  }

  /** Sends SIGKILL to the whole group. Returns when no process of it holds the output open. */
  async kill(): Promise<void> {
    const npm = this.#npm;
    this.#npm = undefined;
    if (npm === undefined) return;
    const closed = once(npm, 'close');
    killGroup(npm);
    await closed;
  }

  async remove(): Promise<void> {
    this.#isRemoved = true;
    await this.kill();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  async register(domain: string): Promise<Registered> {
    const { data } = await this.api('POST', '/domains', { domain, usageType: 'parked' });
    return { id: data.id, domain, address: data.reporting.ruaAddress.replace('mailto:', '') };
  }

  /** The sums over all DMARC reports of a domain. */
  async sumsOf({ id }: Registered): Promise<{ totalReports: number; totalMessages: number }> {
    return (await this.api('GET', `/domains/${id}/reports/dmarc?limit=1`)).data.summary;
  }

  /** Runs an admin command beside the service. Returns its output. */
  async admin(...args: readonly string[]): Promise<string> {
    const { code, output } = await adminInProcess(args, { DATA_DIR: this.dataDir });
    if (code !== 0) throw new Error(`admin ${args.join(' ')}: ${output}`);
    return output;
  }

  /** The output lines about dead letters; empty if there are none. */
  async deadLetters(): Promise<string[]> {
    const lines = (await this.admin('dead-letters', 'list')).split('\n');
    return lines.filter((line) => line !== '' && !line.endsWith(': none'));
  }

  /** The data of all pages of a list. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are read freely by tests
  async pages(path: string): Promise<any[]> {
    // biome-ignore lint/suspicious/noExplicitAny: answers are read freely by tests
    const pages: any[] = [];
    for (let more = true; more; ) {
      const { data, meta } = await this.api('GET', `${path}?limit=100&page=${pages.length + 1}`);
      pages.push(data);
      more = meta.pagination.hasMore;
    }
    return pages;
  }

  /** The body of an answer of the API. Asked again until it is answered, for the service may be dead just now. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are read freely by tests
  async api(method: string, path: string, json?: unknown): Promise<any> {
    for (;;) {
      try {
        const answer = await fetch(`http://127.0.0.1:${this.port}/api/v1${path}`, {
          method,
          headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
          ...(json === undefined ? {} : { body: JSON.stringify(json) }),
        });
        const body = await answer.json();
        if (answer.ok) return body;
        throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(body)}`);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }
}

/** What is in one list and not in the other, or a different number of times. */
export function difference(what: string, shown: readonly string[], expected: readonly string[]): string[] {
  const [is, should] = [shown, expected].map((list) => Map.groupBy(list, (one) => one));
  return [...new Set([...shown, ...expected])].flatMap((one) => {
    const [a, b] = [is, should].map((count) => count?.get(one)?.length ?? 0);
    return a === b ? [] : [`${what}: "${one}" is there ${a} times, and should be ${b} times`];
  });
}
