#!/usr/bin/env node
/** The command of the package. */
import { fileURLToPath } from 'node:url';
import { runProgram } from '../lib/terminal/programs.ts';

const node = () => 24 as const;

await runProgram(
  {
    inspect: {
      summary: 'checks and scores any domain, without a service or an account',
      // The example internet has a database.
      node: (args) => (args.some((one) => one.endsWith('.test')) ? 24 : 20),
      run: () => import('./inspect.ts'),
    },
    start: { summary: 'starts the service on this machine', node, run: () => import('./start.ts') },
    admin: {
      summary: "the operator's commands, for this machine or a deployment",
      node,
      run: () => import('./admin.ts'),
    },
    dns: { summary: 'prints or checks the DNS records of a deployment', node, run: () => import('./dns.ts') },
    smoke: { summary: 'tests that a deployed service works', node, run: () => import('./smoke.ts') },
  },
  fileURLToPath(import.meta.url),
);
