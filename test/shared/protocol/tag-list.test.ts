import { describe, expect, test } from '@jest/globals';
import { parseTagList } from '../../../shared/protocol/tag-list.ts';
import { mutations } from './mutations.ts';

const tag = (name: string, value: string) => ({ name, value });

describe('a tag list (RFC 6376 section 3.2) is parsed', () => {
  test.each([
    ['one tag', 'v=1', [tag('v', '1')]],
    ['tags between semicolons', 'v=1;a=b', [tag('v', '1'), tag('a', 'b')]],
    ['a semicolon at the end', 'v=1;', [tag('v', '1')]],
    ['white space after the last semicolon', 'v=1; \r\n\t', [tag('v', '1')]],
    ['white space around names and values removed', ' v \t=\r\n 1 ; a = b\t', [tag('v', '1'), tag('a', 'b')]],
    ['white space inside a value kept', 'n=a  b', [tag('n', 'a  b')]],
    ['an equals sign inside a value', 'p=AA==', [tag('p', 'AA==')]],
    ['an empty value', 'p=', [tag('p', '')]],
    ['names that differ only in case kept apart', 'a=1; A=2', [tag('a', '1'), tag('A', '2')]],
    ['digits and underscores in names', 'a_1=x', [tag('a_1', 'x')]],
    ['no text, as no tags', '', []],
    ['white space only, as no tags', ' ', []],
  ])('with %s', (_, text, tags) => {
    expect(parseTagList(text)).toEqual({ tags, problems: [] });
  });
});

describe('a syntax error is reported, and the rest is parsed:', () => {
  test.each([
    ['no equals sign', 'v=1; bogus ;a=b', 'malformed', 'bogus', ['v', 'a']],
    ['nothing between semicolons', 'v=1;;a=b', 'malformed', '', ['v', 'a']],
    ['white space between semicolons', 'v=1; ;a=b', 'malformed', '', ['v', 'a']],
    ['a semicolon at the start', ';v=1', 'malformed', '', ['v']],
    ['no name', 'v=1; =x', 'empty-name', '=x', ['v']],
    ['a name that starts with a digit', '1v=1', 'malformed', '1v=1', []],
    ['a name with a hyphen', 'a-b=1', 'malformed', 'a-b=1', []],
    ['a name with a space inside', 'a b=1', 'malformed', 'a b=1', []],
    ['a no-break space, which is not folding white space', '\u00a0v=1', 'malformed', '\u00a0v=1', []],
    ['a value that is not ASCII, whose tag is kept', 'n=é', 'malformed', 'n=é', ['n']],
    ['a control character in a value, whose tag is kept', 'n=a\0b', 'malformed', 'n=a\0b', ['n']],
    ['a duplicate name, of which the first counts', 'a=1; b=2; a=3', 'duplicate', 'a=3', ['a', 'b']],
  ])('%s', (_, text, kind, spec, names) => {
    const { tags, problems } = parseTagList(text);
    expect(problems).toEqual([{ kind, text: spec }]);
    expect(tags.map(({ name }) => name)).toEqual(names);
  });
});

describe('any text', () => {
  const seeds = ['v=DKIM1; k=rsa; p=MIGf MA0=', 'v=DMARC1;p=none;', 'a=1;;b=2; =x; c', ''];

  test('parses without an exception, with each name once', () => {
    for (const text of mutations(seeds, 5000)) {
      const { tags } = parseTagList(text);
      expect(new Set(tags.map(({ name }) => name)).size).toBe(tags.length);
    }
  });

  test.each([
    ['white space', ' '],
    ['semicolons', ';'],
    ['equals signs', '='],
    ['distinct tags', 'a=b;'],
    ['tabs before a letter', '\t'],
  ])(
    'of many characters of %s parses in linear time, where quadratic time would be half a minute',
    (_, unit) => {
      const text = `v=1;${unit.repeat(200_000 / unit.length)}x`;
      const start = process.cpuUsage();
      parseTagList(text);
      const { user, system } = process.cpuUsage(start);
      expect((user + system) / 1_000).toBeLessThan(5_000);
    },
  );
});
