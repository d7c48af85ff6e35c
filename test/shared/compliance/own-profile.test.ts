import { describe, expect, test } from '@jest/globals';
import { evaluate } from '../../../shared/compliance/evaluate.ts';
import { lapsedIn, standingsAfter } from '../../../shared/compliance/lapses.ts';
import { listedStatus, listedStatuses } from '../../../shared/compliance/listed.ts';
import {
  MOST_OWN_PROFILES,
  type OwnProfile,
  ownProfile,
  ownProfiles,
  profileFor,
  storedOwnProfiles,
} from '../../../shared/compliance/own-profile.ts';
import { profileIds, profiles } from '../../../shared/compliance/profiles.ts';
import { emptyResults, perfectResults, unknownResults, usageTypes } from '../../kit/results.ts';

const given = {
  ...{ id: 'own-baseline', name: 'Our baseline', version: '1' },
  requirements: [
    { id: 'reject', text: 'Reject.', level: 'must', rules: ['dmarc-missing', 'dmarc-below-reject'] },
    { id: 'training', text: 'Staff is trained.', level: 'should', rules: [] },
  ],
};

const own: OwnProfile = ownProfile.parse(given);

describe('a profile of an organization', () => {
  test('is evaluated as others are', () => {
    const profile = profileFor('own-baseline', [own]);
    if (profile === undefined) throw new Error('it is there');
    const statuses = (results: ReturnType<typeof emptyResults>) =>
      evaluate(profile, results, 'parked').requirements.map(({ status }) => status);
    expect(statuses(perfectResults('parked'))).toEqual(['fulfilled', 'not-testable']);
    expect(statuses(emptyResults())).toEqual(['violated', 'not-testable']);
    expect(statuses(unknownResults())).toEqual(['unknown', 'not-testable']);
    expect(profileFor('own-other', [own])).toBeUndefined();
  });

  test.each([
    [{ ...given, id: 'baseline' }, '0.id', /must be own-/],
    [{ ...given, id: `own-${'a'.repeat(41)}` }, '0.id', /at most 40/],
    [{ ...given, requirements: [] }, '0.requirements', /must have a requirement/],
    [
      { ...given, requirements: [{ ...given.requirements[0], level: 'may' }] },
      '0.requirements.0.level',
      /must be must or should/,
    ],
    [
      { ...given, requirements: [given.requirements[0], given.requirements[0]] },
      '0.requirements',
      /a different id each/,
    ],
    [{ ...given, address: 'intranet' }, '0.address', /must be a URL/],
    [{ ...given, address: 'javascript:alert(1)' }, '0.address', /must be a URL that begins with https/],
    [{ ...given, address: 'https://[' }, '0.address', /must be a URL/],
    [{ ...given, name: 'a\nb' }, '0.name', /control characters/],
  ])('is refused with what is wrong: %#', (wrong, path, message) => {
    const { error } = ownProfiles.safeParse([wrong]);
    const issue = error?.issues.find((one) => one.path.join('.') === path);
    expect([path, issue?.message]).toEqual([path, expect.stringMatching(message)]);
  });

  test('is one of few, which are small', () => {
    const many = (count: number, text = 'x') =>
      Array.from({ length: count }, (_, n) => ({
        ...given,
        id: `own-${n}`,
        requirements: Array.from({ length: 50 }, (_, at) => ({
          ...{ id: `r${at}`, level: 'must', text, rules: ['dmarc-missing'] },
        })),
      }));
    expect(ownProfiles.safeParse(many(MOST_OWN_PROFILES)).success).toBe(true);
    expect(ownProfiles.safeParse(many(MOST_OWN_PROFILES + 1)).error?.message).toMatch(/at most 5 profiles/);
    expect(ownProfiles.safeParse(many(5, 'x'.repeat(400))).error?.message).toMatch(/characters of JSON/);
  });

  test('is not testable where it has a rule that this release does not know, whatever the others say', () => {
    const [first] = own.requirements;
    const rules = ['dmarc-missing', 'dmarc-of-tomorrow'];
    const stored = storedOwnProfiles.parse([{ ...own, requirements: [{ ...first, rules }] }]);
    expect(stored[0]?.requirements[0]?.rules).toEqual(rules);
    const profile = profileFor('own-baseline', stored);
    if (profile === undefined) throw new Error('it is there');
    for (const results of [perfectResults('parked'), emptyResults()])
      expect(evaluate(profile, results, 'parked').requirements[0]?.status).toBe('not-testable');
  });
});

describe('the statuses in the directory', () => {
  test('are those of each profile and usage type', () => {
    const results = perfectResults('sends-and-receives');
    const text = listedStatuses(results, [own]);
    for (const usage of usageTypes) {
      for (const id of profileIds)
        expect(listedStatus(text, id, usage)).toBe(evaluate(profiles[id], results, usage).status);
      expect(listedStatus(text, 'own-baseline', usage)).toBe('fulfilled');
    }
  });

  test('are unknown for a profile that is newer than the latest check run', () => {
    const text = listedStatuses(perfectResults('parked'), []);
    expect(listedStatus(text, 'own-baseline', 'parked')).toBe('unknown');
    expect(listedStatus('', 'bod-18-01', 'parked')).toBe('unknown');
    expect(listedStatus(text.slice(0, 4), 'bod-18-01', 'parked')).toBe('unknown');
  });
});

describe('a followed requirement', () => {
  type Status = Parameters<typeof standingsAfter>[1][number]['status'];
  const [requirement] = profiles['bod-18-01'].requirements;
  if (requirement?.rules === undefined) throw new Error('it is decided');
  const followed = (status: Status, changes: Partial<typeof requirement> = {}) => ({
    ...{ profile: 'p', requirement: { ...requirement, id: 'r', ...changes }, status },
  });
  const standings = (...all: readonly ReturnType<typeof followed>[]) =>
    all.reduce<ReturnType<typeof standingsAfter>>((before, one) => standingsAfter(before, [one]), {});
  const after = (...statuses: readonly Status[]) =>
    Object.values(standings(...statuses.map((one) => followed(one))))[0];

  test.each([
    ['violated from the beginning', ['violated', 'violated', 'violated'], undefined],
    ['violated in one check run', ['fulfilled', 'violated'], 'doubted'],
    ['violated in two', ['fulfilled', 'violated', 'violated'], 'lapsed'],
    [
      'violated in two with a failed lookup between',
      ['fulfilled', 'violated', 'unknown', 'violated'],
      'lapsed',
    ],
    ['not known any more', ['fulfilled', 'violated', 'violated', 'unknown'], 'lapsed'],
    ['fulfilled in between', ['fulfilled', 'violated', 'fulfilled', 'violated'], 'doubted'],
    ['fulfilled again', ['fulfilled', 'violated', 'violated', 'fulfilled'], 'met'],
    ['not applicable any more', ['fulfilled', 'violated', 'violated', 'not-applicable'], undefined],
  ] as const)('%s', (_, statuses, expected) => {
    expect(after(...statuses)).toBe(expected);
  });

  test('is another one with other rules or another scope, but not with another text', () => {
    const of = (changes: Partial<typeof requirement>) => {
      const violated = followed('violated', changes);
      return lapsedIn(standings(followed('fulfilled'), violated, violated));
    };
    expect(of({ text: 'Another text.', rules: [...requirement.rules] })).toEqual(['p/r']);
    expect(of({ rules: [...requirement.rules, 'mx-tls-old'] })).toEqual([]);
    expect(of({ scope: 'all' })).toEqual([]);
  });

  test('is forgotten when nobody follows the profile', () => {
    expect(standingsAfter({ 'p/r#hash': 'lapsed' }, [])).toEqual({});
  });
});
