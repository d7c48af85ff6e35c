import { expect, test } from '@jest/globals';
import { isWithoutEffect } from '../../protocol/findings/cases/dmarc-denial.ts';

const nsec = 'the name';

test.each([
  { title: 'np is stricter than p', input: { tags: 'p=quarantine; np=reject', nsec }, expected: true },
  { title: 'np is stricter than sp', input: { tags: 'p=reject; sp=none; np=reject', nsec }, expected: true },
  {
    title: 'np is what receivers apply anyway',
    input: { tags: 'p=reject; np=reject', nsec },
    expected: false,
  },
  { title: 'there is no np', input: { tags: 'p=reject', nsec }, expected: false },
  { title: 'the zone says NXDOMAIN', input: { tags: 'p=none; np=reject' }, expected: false },
] as const)(
  'np has no effect in a zone with compact denial: $title: $expected',
  async ({ input, expected }) => {
    expect(await isWithoutEffect(input)).toBe(expected);
  },
);
