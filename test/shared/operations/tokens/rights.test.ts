import { describe, expect, test } from '@jest/globals';
import { invalid, Refused } from '../../../../shared/operations/outcome.ts';
import { settleRights } from '../../../../shared/operations/tokens/create-token.ts';
import type { TokenInfo } from '../../../../shared/store/api-tokens.ts';

const now = new Date('2026-01-10T00:00:00.000Z');
const before = '2026-01-09T00:00:00.000Z';
const soon = '2026-01-11T00:00:00.000Z';
const later = '2026-02-01T00:00:00.000Z';

const past = invalid({ path: 'expiresAt', message: 'must be in the future' });

const own = (rights: Partial<TokenInfo> = {}): TokenInfo => ({
  ...{ id: 'i', hash: 'h', organization: 'o', name: 'n', createdAt: before, revokedAt: null },
  ...{ scope: 'admin', expiresAt: null, networks: [], creators: [] },
  ...rights,
});

describe('the rights of a new token', () => {
  test('are those of the own token where none are given', () => {
    const limited = own({ expiresAt: later, networks: ['192.0.2.0/24'] });
    expect(settleRights({ scope: 'read' }, limited, now)).toEqual({
      scope: 'read',
      expiresAt: new Date(later),
      networks: ['192.0.2.0/24'],
    });
    expect(settleRights({ scope: 'admin' }, own(), now)).toMatchObject({ expiresAt: null, networks: [] });
  });

  test.each([
    ['another expiry', own(), { expiresAt: soon }, { expiresAt: new Date(soon) }],
    ['an earlier expiry', own({ expiresAt: later }), { expiresAt: soon }, { expiresAt: new Date(soon) }],
    ['networks', own(), { networks: ['192.0.2.0/24'] }, { networks: ['192.0.2.0/24'] }],
    [
      'networks within its own',
      own({ networks: ['192.0.2.0/24', '2001:db8::/32'] }),
      { networks: ['192.0.2.7', '2001:db8:1::/48'] },
      { networks: ['192.0.2.7', '2001:db8:1::/48'] },
    ],
  ])('can have %s', (_what, token, wanted, rights) => {
    expect(settleRights({ scope: 'read', ...wanted }, token, now)).toMatchObject(rights);
  });

  test.each([
    ['a wider scope', own({ scope: 'write' }), { scope: 'admin' as const }, /its scope is write/],
    ['no expiry', own({ expiresAt: soon }), { expiresAt: null }, /it expires at 2026-01-11/],
    ['a later expiry', own({ expiresAt: soon }), { expiresAt: later }, /it expires at 2026-01-11/],
    ['all networks', own({ networks: ['192.0.2.0/24'] }), { networks: [] }, /networks are 192\.0\.2\.0/],
    ['a wider network', own({ networks: ['192.0.2.0/24'] }), { networks: ['192.0.0.0/16'] }, /networks are/],
    [
      'another network beside its own',
      own({ networks: ['192.0.2.0/24'] }),
      { networks: ['192.0.2.0/24', '198.51.100.0/24'] },
      /networks are/,
    ],
  ])('cannot have %s', (_what, token, wanted, reason) => {
    const refused = settleRights({ scope: 'read', ...wanted }, token, now);
    expect(refused).toBeInstanceOf(Refused);
    expect(refused).toMatchObject({ code: 'forbidden', message: expect.stringMatching(reason) });
  });

  test('cannot have ended already', () => {
    expect(settleRights({ scope: 'read', expiresAt: before }, own(), now)).toEqual(past);
  });

  test('of an operator can be any, but cannot have ended already', () => {
    expect(settleRights({ scope: 'admin' }, null, now)).toEqual({
      ...{ scope: 'admin', expiresAt: null, networks: [] },
    });
    expect(settleRights({ scope: 'read', expiresAt: before }, null, now)).toEqual(past);
  });
});
