/** Own profiles of an organization: what the audit log says of a change, and rules of another release. */
import { beforeEach, expect, test } from '@jest/globals';
import { complianceSettingsBody } from '../../../../shared/api/compliance.ts';
import { ownProfiles } from '../../../../shared/compliance/own-profile.ts';
import { changeCompliance } from '../../../../shared/operations/compliance/change-compliance.ts';
import { invalid, Refused } from '../../../../shared/operations/outcome.ts';
import type { TokenInfo } from '../../../../shared/store/api-tokens.ts';
import { complianceSettingsStore } from '../../../../shared/store/compliance-settings.ts';
import { organizationStore } from '../../../../shared/store/organizations.ts';
import { callerWith } from '../../../kit/operations.ts';
import { useTable } from '../../../kit/use-table.ts';

const now = new Date('2026-03-01T06:00:00.000Z');

let token: TokenInfo;

const table = await useTable();
beforeEach(async () => {
  const { id } = await organizationStore(table).create('Org', now);
  token = (await organizationStore(table).createToken(id, { name: 'root', label: 'svc' }, now)).info;
});

const requirement = (id: string, ...rules: readonly string[]) => ({
  ...{ id, text: 'x'.repeat(400), level: 'must', rules },
});

const own = (...requirements: readonly ReturnType<typeof requirement>[]) => [
  { id: 'own-one', name: 'One', version: '1', requirements },
];

const change = async (given: unknown) =>
  changeCompliance(callerWith(token), complianceSettingsBody.parse({ own: given }), {
    compliance: complianceSettingsStore(table),
  });

const changesOf = (outcome: Awaited<ReturnType<typeof change>>) =>
  outcome instanceof Refused ? outcome.message : outcome.subjects?.flatMap(({ changes = [] }) => changes);

test('the audit log has the requirement that changed, wherever it is in a long profile', async () => {
  const same = ['a', 'b', 'c'].map((id) => requirement(id, 'dmarc-missing'));
  await change(own(...same, requirement('last', 'dmarc-missing', 'dmarc-below-reject')));
  const changes = changesOf(await change(own(...same, requirement('last', 'dmarc-missing'))));
  expect(changes).toEqual([
    {
      field: 'own.own-one.requirements.last',
      before: expect.stringContaining('"dmarc-below-reject"'),
      after: expect.not.stringContaining('dmarc-below-reject'),
    },
  ]);
});

test('a rule that this release does not know stays where it was stored, and is refused elsewhere', async () => {
  const given = own(requirement('a', 'dmarc-missing', 'dmarc-of-tomorrow'));
  expect(await change(given)).toEqual(
    invalid({ path: 'own.0.requirements.0.rules.1', message: 'is not the ID of a rule or fact' }),
  );
  const store = complianceSettingsStore(table);
  const stored = { follows: [], own: ownProfiles.parse(given) };
  expect(await store.save(token.organization, stored, { revision: 0 })).toBe(true);
  await change(own(requirement('b', 'dmarc-missing', 'dmarc-of-tomorrow')));
  expect((await store.get(token.organization)).own[0]?.requirements).toMatchObject([
    { id: 'b', rules: ['dmarc-missing', 'dmarc-of-tomorrow'] },
  ]);
});

test('a profile that is followed cannot be removed, and one that does not exist cannot be followed', async () => {
  const compliance = complianceSettingsStore(table);
  const changing = (given: object) =>
    changeCompliance(callerWith(token), complianceSettingsBody.parse(given), { compliance });
  const requirements = own(requirement('a', 'dmarc-missing'));
  expect(await changing({ own: requirements, follows: ['own-one'] })).toMatchObject({
    value: { follows: ['own-one'], revision: 1 },
  });
  expect(await changing({ own: [] })).toEqual(
    invalid({ path: 'own', message: 'must keep own-one, which is followed, or follows must leave it out' }),
  );
  expect(await changing({ follows: ['own-two'] })).toEqual(
    invalid({ path: 'follows', message: 'has own-two, which is no profile' }),
  );
});
