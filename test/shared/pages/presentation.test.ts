/** The frame of every page, its headers, what errors say, and the small pages between others. */
import { describe, expect, test } from '@jest/globals';
import { checkForm, checkPath } from '../../../shared/pages/check-form.ts';
import { consolePages } from '../../../shared/pages/console/layout.ts';
import { document, linkTo, type PageContent, publicLinks } from '../../../shared/pages/document.ts';
import { pageHeaders } from '../../../shared/pages/headers.ts';
import { invitation, startedPage } from '../../../shared/pages/mail-test/start.ts';
import { html } from '../../../shared/pages/markup.ts';
import { pager } from '../../../shared/pages/pager.ts';
import { pages } from '../../../shared/pages/presentation.ts';
import { savedPage } from '../../../shared/pages/saved.ts';
import { asChoices, options } from '../../../shared/pages/select.ts';
import { domainStyle, style, workplaceStyle } from '../../../shared/pages/style.ts';
import { unsubscribePage } from '../../../shared/pages/unsubscribe.ts';
import { errorResponse, ServiceError } from '../../../shared/runtime/http/errors.ts';
import { differenceOf, outlineOf, outlineOfPage } from '../../kit/outline.ts';

/** A whole document without its styles and scripts. */
const withoutCode = (page: string) =>
  `\n${page.replaceAll(/<(style|script)>(.*?)<\/\1>/gs, (_, name: string, text: string) => `<${name}>${text === style ? 'of all pages' : text.length < 50 ? text : '…'}`)}`;

describe('a document', () => {
  const main = html`<h1>Main</h1>`;

  test('with all parts, and one with none', () => {
    const all: Required<PageContent> = {
      ...{ title: 'A title', description: 'What it is', url: 'https://m.example/x', indexed: true },
      ...{ site: 'Mail test', home: '/t', nav: html`<nav>More</nav>`, head: html`<meta name="x">`, main },
      ...{ styles: 'p{}', moreScript: 'more()' },
      image: {
        ...({ url: 'https://m.example/i.png', type: 'image/png', width: 1200, height: 630 } as const),
        text: 'A picture',
      },
    };
    expect(withoutCode(document(all))).toMatchSnapshot();
    const least = withoutCode(document({ title: 'T', description: 'D', main }));
    expect(differenceOf(withoutCode(document(all)), least)).toMatchSnapshot();
  });

  test('has style sheets without comments and line breaks', () => {
    expect(style).toMatch(/^:root\{[\s\S]*body\{.*@media print\{/);
    for (const sheet of [style, domainStyle, workplaceStyle]) {
      expect(sheet).not.toMatch(/\/\*|\*\/|\n|;\}| \{/);
      expect(sheet.endsWith('}')).toBe(true);
    }
  });

  test('has headers that allow its own styles and scripts only', () => {
    const shown = Object.entries(pageHeaders(['a{}'], ['b()'])).map(([name, value]) => `${name}: ${value}`);
    expect(`\n${shown.join('\n').replaceAll(/'sha256-[^']{30,}'/g, 'HASH')}`).toMatchSnapshot();
  });

  test('links to the tools that the service has, and marks its own', () => {
    const shown = [
      publicLinks('SPF checker'),
      publicLinks('Domain check', false),
      linkTo('/x', 'X', true, 'k'),
      linkTo('/x', 'X', false),
    ];
    expect(shown.map(outlineOf).join('')).toMatchSnapshot();
  });
});

describe('an error', () => {
  const shown = (error: ServiceError, after?: { retryAfter?: string; again?: string }, of = pages) => {
    const { status, body } = errorResponse(error, 'r1');
    return of.error(body, status, after).body;
  };

  test('of an unknown address says once that there is nothing, and of something that is gone, what it was', () => {
    expect(outlineOf(shown(new ServiceError('not_found')))).toMatchSnapshot();
    expect(outlineOf(shown(new ServiceError('not_found', 'This test has expired.')))).toMatchSnapshot();
  });

  test.each([[''], ['/spf?domain=a.example'], [undefined]])(
    'about too many requests says how long to wait, and leads back to %p',
    (again) => {
      const after = { retryAfter: '34', ...(again !== undefined && { again }) };
      expect(outlineOf(shown(new ServiceError('rate_limited'), after))).toMatchSnapshot();
    },
  );

  test('of each code has a title and a description', () => {
    const codes = ['invalid_request', 'payload_too_large', 'forbidden', 'domain_exists', 'internal'] as const;
    const titles = codes.map((code) => {
      const page = shown(new ServiceError(code), { again: '/x' });
      return `${/<title>.*<\/title>\n<meta[^>]*>/.exec(page)?.[0]} ${page.includes('/x') ? 'leads back' : ''}`;
    });
    expect(`\n${titles.join('\n')}`).toMatchSnapshot();
  });

  test('in the console says how to get a permission', () => {
    const page = shown(new ServiceError('forbidden', 'This request needs more.'), {}, consolePages);
    expect(`${/<header.*?<\/header>/s.exec(page)?.[0]}${outlineOf(page)}`).toMatchSnapshot();
    expect(page.match(/<style>/g)).toHaveLength(2);
    expect(shown(new ServiceError('not_found'), {}, consolePages)).not.toContain('/console/sign-in');
  });

  test('and an answer have the headers of their kind', () => {
    const content = { contentType: 'text/csv', body: 'a,b' };
    const answers = [
      pages.answer({ data: 'x' } as never, {} as never),
      pages.answer({ data: 'x', content } as never, {} as never),
    ];
    expect(answers.map(({ headers, body }) => [headers['content-type'], body])).toEqual([
      ['text/html; charset=utf-8', 'x'],
      ['text/csv', 'a,b'],
    ]);
  });
});

test.each([
  ['of a saved result', savedPage('/s/spf/1')],
  ['of a started test', startedPage('/t/1')],
  ['of the digest, that is on', unsubscribePage({ isOff: false })],
  ['of the digest, that is off', unsubscribePage({ isOff: true })],
  ['with an invitation to the mail test', String(invitation)],
])('the page %s', (_what, page) => {
  expect(outlineOfPage(page)).toMatchSnapshot();
});

test('the form for a domain says what is wrong, and that mail domains have no www', () => {
  const forms = [
    checkForm('/', { domain: '' }),
    checkForm(
      '/spf',
      { domain: ' www.example.org', problem: 'must not be empty', autofocus: true },
      html`more`,
    ),
  ];
  expect(forms.map(outlineOf).join('')).toMatchSnapshot();
  expect(new URL(checkPath('/spf', 'a&b=c', { usageType: 'parked' }), 'http://x').search).toBe(
    '?domain=a%26b%3Dc&usageType=parked',
  );
});

test('a list has links to the pages before and after it, and none if there is one page', () => {
  const links = [1, 2, 3].flatMap((page) =>
    [true, false].map((hasMore) => {
      const names = ['Before', 'After'] as const;
      const more = page === 2 ? { of: 'of things', isSmall: true } : {};
      const shown = pager({ page, hasMore, names, to: (n) => `?page=${n}`, ...more });
      return `page ${page}${hasMore ? ' and more' : ''}: ${shown}`;
    }),
  );
  expect(`\n${links.join('\n')}`).toMatchSnapshot();
});

test('one choice of a list is selected, or none', () => {
  expect(String(options(asChoices(['a', 'b']), 'b'))).toBe(
    '<option value="a">a</option><option value="b" selected>b</option>',
  );
  expect(String(options([['x', 'X']], undefined))).toBe('<option value="x">X</option>');
});
