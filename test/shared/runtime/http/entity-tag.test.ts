import { describe, expect, test } from '@jest/globals';
import { entityTag, isCurrent, isKnown } from '../../../../shared/runtime/http/entity-tag.ts';

process.env.LOG_LEVEL = 'silent';

const tag = entityTag('a body');

describe('an entity tag', () => {
  test('is equal only for equal bodies', () => {
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    expect([entityTag('a body'), entityTag('another')]).toEqual([tag, expect.not.stringContaining(tag)]);
  });

  test.each([
    ['the tag', tag, true],
    ['the tag, changed to a weak tag on the way', `W/${tag}`, true],
    ['the tag among others', `"x", W/"y",${tag} , "z"`, true],
    ['an asterisk', '*', true],
    ['another tag', '"x"', false],
    ['the tag without its quotes', tag.slice(1, -1), false],
    ['an empty value', '', false],
    ['no header', undefined, false],
  ])('matches If-None-Match with %s: %p %p', (_what, header, known) => {
    expect(isKnown(tag, header)).toBe(known);
  });

  const versioned = entityTag('a body', 'v1');

  test.each([
    ['a tag of the version', versioned, true],
    ['a tag of the version, of another presentation', entityTag('another', 'v1'), true],
    ['a tag of the version among others', `"x", ${versioned}`, true],
    ['an asterisk', '*', true],
    ['no header', undefined, true],
    ['a tag of another version', entityTag('a body', 'v2'), false],
    ['a weak tag', `W/${versioned}`, false],
    ['a tag without a version', tag, false],
    ['an empty value', '', false],
  ])('fulfills If-Match with %s: %p %p', (_what, header, current) => {
    expect(isCurrent('v1', header)).toBe(current);
  });
});
