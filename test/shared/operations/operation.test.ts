/** What the types of operations keep callers and their authors from. */
import { expect, test } from '@jest/globals';
import {
  type CallerOf,
  type Operation,
  type OutcomeOf,
  operatorFor,
} from '../../../shared/operations/operation.ts';
import { Refused } from '../../../shared/operations/outcome.ts';
import type { TokenInfo } from '../../../shared/store/api-tokens.ts';

const operation = {
  name: 'renameThing',
  summary: 'Rename a thing',
  scope: 'write',
  refusals: ['not_found'],
  uses: [],
} as const satisfies Operation;

const rename = ({ organization }: CallerOf<typeof operation>): OutcomeOf<typeof operation, string> => ({
  value: organization,
});

const token: TokenInfo = {
  ...{ id: 't', hash: 'h', organization: 'o', name: 'n', scope: 'read', networks: [], creators: [] },
  ...{ createdAt: '2026-01-01T00:00:00Z', revokedAt: null, expiresAt: null },
};
const caller = { organization: 'o', token, isCurrent: () => true };

test('only a caller whose scope was verified to be enough can perform an operation', () => {
  const done = { value: 'o' };
  expect(rename({ ...caller, may: 'write' })).toEqual(done);
  expect(rename({ ...caller, may: 'admin' })).toEqual(done);
  expect(rename(operatorFor('o'))).toEqual(done);
  // @ts-expect-error: the route of this caller asks for less than the operation needs.
  expect(rename({ ...caller, may: 'read' })).toEqual(done);
});

test('an operation refuses only what its row lists', () => {
  const refused: OutcomeOf<typeof operation, string> = new Refused('not_found');
  // @ts-expect-error: the row does not list this code.
  const unlisted: OutcomeOf<typeof operation, string> = new Refused('forbidden');
  expect([refused, unlisted]).toMatchObject([{ code: 'not_found' }, { code: 'forbidden' }]);
});
