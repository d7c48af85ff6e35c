/** `npm run budgets`: writes the size of each bundle, in kB, to `budgets.json`. A bundle may be 5 % larger than there. */
import { readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { bundleAll } from '../../../lib/cloud/bundle.ts';
import type { Bundles } from '../../../lib/cloud/handlers.ts';

const FILE = new URL('budgets.json', import.meta.url);
const SLACK = 1.05;

const sizes = z.record(z.string(), z.int());

/** The size that each bundle must not exceed, in bytes: of all that it loads at every cold start. */
export const budgets = (): ReadonlyMap<string, number> =>
  new Map(
    Object.entries(sizes.parse(JSON.parse(readFileSync(FILE, 'utf8')))).map(([handler, kilobytes]) => [
      handler,
      kilobytes * 1000 * SLACK,
    ]),
  );

const kilobytesOf = (bundles: Bundles): Record<string, number> =>
  Object.fromEntries(
    [...bundles]
      .map(([handler, { bytes }]) => [handler, Math.ceil(bytes / 1000)] as const)
      .toSorted(([one], [other]) => one.localeCompare(other, 'en')),
  );

if (process.argv[1] === new URL(import.meta.url).pathname)
  writeFileSync(FILE, `${JSON.stringify(kilobytesOf(await bundleAll()), null, 2)}\n`);
