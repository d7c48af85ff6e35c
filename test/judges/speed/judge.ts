/** What takes time, beside the fastest that do the same, each as a ratio in one run. */
import { benchBundles } from '../../bench/bundles.ts';
import { benchChecks } from '../../bench/checks.ts';
import { benchRequests } from '../../bench/requests.ts';
import type { BenchRow } from '../../bench/row.ts';
import { fromNpm } from '../../kit/outside-packages.ts';
import { judgeParsing } from './parsing.ts';
import { judgeSmtp } from './smtp.ts';

const HONO = ['hono@4.13.19', '@hono/node-server@1.19.9'];

export async function judgeSpeed(): Promise<readonly BenchRow[]> {
  return [
    ...(await judgeParsing()),
    ...(await judgeSmtp()),
    ...(await judgeHttp()),
    ...(await benchBundles((name) => name === 'GET /api/v1/domains')),
    ...(await benchChecks()),
  ];
}

async function judgeHttp(): Promise<readonly BenchRow[]> {
  const title = 'a bare Hono server';
  const installed = await fromNpm(HONO);
  if ('missing' in installed) {
    const skipped = { value: `skipped: ${installed.missing}`, goal: 'at least 1 to 40', met: null };
    return [{ name: `GET /domains, beside ${title}`, ...skipped }];
  }
  const program = `
const { Hono } = require('hono');
const { serve } = require('@hono/node-server');
const app = new Hono();
app.get('/', (c) => c.body(process.env.ANSWER, 200, { 'content-type': 'application/json' }));
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(port));`;
  return benchRequests({ title, program, cwd: installed.folder });
}
