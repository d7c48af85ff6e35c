/**
 * `logical-ids.json` has the logical ID of each resource that carries state or an address, by stack, of a deployment with
 * everything. CloudFormation replaces a resource whose ID changes, and what it carries is lost: never change or remove a row.
 * A new resource of these types needs a row.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { lastingTypes } from '../../../lib/cloud/lasting.ts';
import type { Deployed } from './deployed.ts';
import { synthesize, withFirewall } from './synthesize.ts';

type Rows = Readonly<Record<string, Readonly<Record<string, string>>>>;

const rows: Rows = JSON.parse(readFileSync(new URL('logical-ids.json', import.meta.url), 'utf8'));

const lastingIn = ({ templates }: Deployed): Rows =>
  Object.fromEntries(
    [...templates].map(([stack, { Resources }]) => [
      stack.replace('domain-monitor-prod-', ''),
      Object.fromEntries(
        Object.entries(Resources).flatMap(([id, { Type }]) =>
          Object.hasOwn(lastingTypes, Type) ? [[id, Type]] : [],
        ),
      ),
    ]),
  );

test('resources that carry state or an address keep their logical IDs, and new ones are added', () => {
  expect(lastingIn(synthesize(withFirewall))).toEqual(rows);
});

test('the table has each type of resource that carries state or an address', () => {
  const types = new Set(Object.values(rows).flatMap((stack) => Object.values(stack)));
  expect([...types].toSorted()).toEqual(Object.keys(lastingTypes).toSorted());
});
