#!/usr/bin/env node
/** The command of the package. What opens a database, as the example internet has one, needs a newer Node.js. */
import { fileURLToPath } from 'node:url';
import { type Program, runProgram } from '../lib/terminal/programs.ts';

const row = (summary: string, run: Program['run'], node: Program['node'] = () => 24) => ({
  summary,
  run,
  node,
});
const newerFor = (what: RegExp) => (args: readonly string[]) =>
  args.some((one) => what.test(one)) ? 24 : 20;

const programs = {
  inspect: row('checks and scores any domain', () => import('./inspect.ts'), newerFor(/\.test$/)),
  verify: row(
    'verifies evidence, without a service and a network',
    () => import('./verify.ts'),
    () => 20,
  ),
  start: row('starts the service on this machine', () => import('./start.ts')),
  admin: row("the operator's commands, for this machine or a deployment", () => import('./admin.ts')),
  mcp: row('answers AI assistants (MCP)', () => import('./mcp.ts'), newerFor(/^--organization/)),
  preflight: row('says what would make a deployment fail', () => import('./preflight.ts')),
  deploy: row('deploys the service on AWS', () => import('./deploy.ts')),
  dns: row('prints or checks the DNS records of a deployment', () => import('./dns.ts')),
  smoke: row('tests that a deployed service works', () => import('./smoke.ts')),
};

await runProgram(programs, fileURLToPath(import.meta.url));
