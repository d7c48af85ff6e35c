/** What an authenticated `GET /domains` costs on one machine, beside a bare HTTP server with the same answer. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { cpuSeconds } from '../kit/cpu-time.ts';
import { bootService } from '../kit/service.ts';
import type { BenchRow } from './row.ts';

const CONNECTIONS = 20;
const WARM_UP = 500;
const REQUESTS = 1_500;
/** CPU time is counted in hundredths of a second. */
const BARE_REQUESTS = 15_000;
const ROUNDS = 3;
/** Twice what was measured when each request made four calls over HTTP. */
const GOAL = 1 / 40;

interface Target {
  readonly pid: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A program that serves `ANSWER` from its environment and prints its port. */
export interface BareServer {
  readonly title: string;
  readonly program: string;
  /** Its working directory, from where it loads packages. */
  readonly cwd?: string;
}

const bareNode: BareServer = {
  title: 'a bare HTTP server',
  program: `require('node:http').createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(process.env.ANSWER);
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });`,
};

export async function benchRequests(beside: BareServer = bareNode): Promise<readonly BenchRow[]> {
  const service = await bootService({ API_RATE_PER_MINUTE: '60000' });
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
  const ours = { pid: service.pid, url: `${service.url}/api/v1/domains`, headers };
  for (const domain of ['a.example', 'b.example', 'c.example']) {
    const body = JSON.stringify({ domain, usageType: 'parked' });
    const { status } = await fetch(ours.url, { method: 'POST', headers, body });
    if (status !== 201) throw new Error(`the domain was not registered: ${status}`);
  }
  const bare = await startBareServer(beside, await (await fetch(ours.url, { headers })).text());
  try {
    const rounds: { readonly ours: Speed; readonly bare: Speed }[] = [];
    for (const target of [ours, bare]) await getAll(target, WARM_UP);
    for (let round = 0; round < ROUNDS; round += 1) {
      rounds.push({ ours: await speedOf(ours, REQUESTS), bare: await speedOf(bare, BARE_REQUESTS) });
    }
    const best = (speeds: readonly number[]) => Math.max(...speeds);
    const [perCpu, bareCpu, perSecond] = [
      best(rounds.map((round) => round.ours.perCpuSecond)),
      best(rounds.map((round) => round.bare.perCpuSecond)),
      best(rounds.map((round) => round.ours.perSecond)),
    ];
    return [
      {
        name: `GET /domains with a token on one machine, ${CONNECTIONS} connections, beside ${beside.title}`,
        value: `${perSecond.toFixed(0)} requests per second, ${perCpu.toFixed(0)} per CPU second, compared with ${bareCpu.toFixed(0)}: 1 to ${(bareCpu / perCpu).toFixed(1)}`,
        goal: `at least 1 to ${1 / GOAL}`,
        met: perCpu / bareCpu >= GOAL,
      },
    ];
  } finally {
    bare.stop();
    await service.remove();
  }
}

async function startBareServer(
  { program, cwd }: BareServer,
  answer: string,
): Promise<Target & { stop(): void }> {
  const child = spawn(process.execPath, ['-e', program], { cwd, env: { ANSWER: answer } });
  const [port] = await once(child.stdout, 'data');
  return {
    pid: child.pid ?? 0,
    url: `http://127.0.0.1:${String(port).trim()}/`,
    headers: {},
    stop: () => child.kill(),
  };
}

interface Speed {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

async function speedOf(target: Target, requests: number): Promise<Speed> {
  const [cpu, from] = [cpuSeconds(target.pid), performance.now()];
  await getAll(target, requests);
  return {
    perSecond: requests / ((performance.now() - from) / 1000),
    perCpuSecond: requests / (cpuSeconds(target.pid) - cpu),
  };
}

async function getAll(target: Target, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let left = count;
  const client = async () => {
    while (left > 0) {
      left -= 1;
      await getOnce(target, agent);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  agent.destroy();
}

function getOnce({ url, headers }: Target, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers }, (response) => {
      response.resume().once('end', resolve);
      if (response.statusCode !== 200) reject(new Error(`${url} answered with ${response.statusCode}`));
    });
    sent.once('error', reject).end();
  });
}
