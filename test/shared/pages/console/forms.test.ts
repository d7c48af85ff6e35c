/** The forms of the console, what was wrong with what was sent, the frame around them, and the pages before a session. */
import { describe, expect, test } from '@jest/globals';
import { addDomainsPage } from '../../../../shared/pages/console/add-domains.ts';
import {
  askAboutDomainPage,
  askAboutMemberPage,
  askInSettingsPage,
} from '../../../../shared/pages/console/ask.ts';
import { confirmPage } from '../../../../shared/pages/console/confirm.ts';
import {
  formState,
  hasFields,
  inputField,
  problemLinks,
  problemOf,
  readFields,
  selectField,
} from '../../../../shared/pages/console/form-fields.ts';
import { invitationPage } from '../../../../shared/pages/console/invitation.ts';
import { consoleDocument, readOnlyNote } from '../../../../shared/pages/console/layout.ts';
import {
  manyForm,
  manyOutcomes,
  savedViews,
  tickedIn,
} from '../../../../shared/pages/console/many-domains.ts';
import { searchForm } from '../../../../shared/pages/console/search-form.ts';
import { signInPage } from '../../../../shared/pages/console/sign-in.ts';
import { signedInPage } from '../../../../shared/pages/console/signed-in.ts';
import { html } from '../../../../shared/pages/markup.ts';
import type { Flash } from '../../../../shared/store/flashes.ts';
import { differenceOf, outlineOf, outlineOfPage } from '../../../kit/outline.ts';

const formToken = 'form-token';
const LONG = 'x'.repeat(5_000);

const flash = (given: Partial<Flash>): Flash => ({
  ...{ kind: 'refused', says: 'It was refused.', form: 'addDomain', action: '/console/add' },
  ...{ typed: {}, problems: [] },
  ...given,
});

test.each([
  ['nothing was sent', undefined],
  [
    'a problem',
    flash({
      typed: { domain: 'x', box: 'on' },
      problems: [{ path: 'domain', message: 'it must be a domain' }],
    }),
  ],
  [
    'two problems of a field',
    flash({ problems: [1, 2].map((n) => ({ path: 'domain', message: `must ${n}` })) }),
  ],
  [
    'another form',
    flash({ form: 'saveView', typed: { domain: 'x' }, problems: [{ path: 'domain', message: 'no' }] }),
  ],
  ['another action', flash({ action: '/other', typed: { domain: 'x' } })],
  ['what is done', flash({ kind: 'done', typed: { domain: 'x' } })],
  ['a question', flash({ kind: 'question', typed: { domain: 'x' } })],
  ['a long problem', flash({ problems: [{ path: 'domain', message: LONG }] })],
])('a form after %s', (_what, left) => {
  const shown = (sent: Flash | undefined, action?: string) => {
    const form = formState('addDomain', sent, { tags: 'now' }, action);
    return outlineOf(html`<p>sent: ${String(form.isSent)}, box: ${String(form.isChosen('box', false))} ${String(form.isChosen('box', true))}, other: ${form.id('other')}${form.value('other')}</p>
${inputField(form, 'domain', 'Domain', html`required`, 'before')}${inputField(form, 'tags', 'Tags', html``)}
${selectField(form, 'usageType', 'Usage', [['parked', 'Parked']], 'parked')}`);
  };
  const one = differenceOf(left === undefined ? '' : shown(undefined), shown(left));
  expect(one + differenceOf(shown(left), shown(left, '/console/add'))).toMatchSnapshot();
});

test('a problem names its field by the path in a request of the API, or the form', () => {
  const forms = [
    ...([
      'addDomain',
      'addDomains',
      'saveDomainSettings',
      'saveNotifications',
      'createTokenInConsole',
    ] as const),
    ...(['changeMemberMail', 'inviteInConsole', 'addMailboxInConsole', 'changeMailboxInConsole'] as const),
    ...(['updateManyInConsole', 'decideOnSender', 'putOffInConsole', 'saveCompliance', 'saveView'] as const),
  ];
  const paths = [
    ...[
      'domain',
      'domains',
      'tags',
      'tags.0',
      'tagsX',
      'mail.tags.1',
      'mail.digestHour',
      'webhook.url',
      'address',
    ],
    ...[
      'signIn',
      'signIn.tokenUrl',
      'signIn.refreshToken',
      'everySeconds',
      'addTag',
      'expiresAt',
      'name',
      '',
    ],
  ];
  const said = forms.flatMap((form) =>
    paths.flatMap((path) => {
      const sentence = problemOf({ message: 'no', problems: [{ path, message: 'it must be x' }] }, form);
      return sentence.startsWith('The form') ? [] : [`${form} ${path}: ${sentence}`];
    }),
  );
  expect(`\n${said.join('\n')}\n`).toMatchSnapshot();
  expect(problemOf({ message: 'no', problems: [{ path: 'x', message: 'is wrong' }] }, 'saveView')).toBe(
    'The form is wrong.',
  );
  expect(problemOf({ message: 'The request is not valid.' }, 'saveView')).toBe('The request is not valid.');
  expect(['saveView', 'constructor', 'checkNow'].map(hasFields)).toEqual([true, false, false]);
});

test.each([
  ['tokenUrl', 'token-url', 'The token URL'],
  ['tenant', 'tenant', 'The tenant'],
])(
  'a problem of a path that two fields have is one of the field that was filled in: %s',
  (field, id, name) => {
    const left = flash({
      ...{ form: 'addMailboxInConsole', typed: { tokenUrl: '', [field]: 'x' } },
      problems: [{ path: 'signIn.tokenUrl', message: 'must be an https URL' }],
    });
    expect(String(problemLinks(left))).toBe(`<a href="#${id}">${name} must be an https URL.</a>`);
    const form = formState('addMailboxInConsole', left);
    expect(String(form.problem(field))).toContain(`${name} must be an https URL.`);
    expect(String(form.attributes(field))).toContain('aria-invalid');
  },
);

test('what was typed about a domain becomes what a request would have', () => {
  const typed = {
    ...({ usageType: 'parked', testEmailLocalPart: '', tags: ' a, b ,', dkimSelectors: 's1' } as const),
    badge: 'on',
  };
  expect(readFields(typed)).toMatchSnapshot();
  expect(readFields({ tags: ['a'] }).tags).toBeUndefined();
});

describe('the frame', () => {
  const page = (given: Partial<Parameters<typeof consoleDocument>[0]>) =>
    consoleDocument({ formToken, title: 'T', description: 'D', main: html`<p>Main</p>`, ...given });

  test('has the navigation with the place of the page, a search and the keys', () => {
    const shown = page({
      current: '/console/alerts',
      searched: 'x "y"',
      unread: { count: 3, hasMore: false },
    });
    const parts = [/<nav.*<\/nav>/s, /<dialog.*<\/dialog>/s].map((part) => part.exec(shown)?.[0] ?? '');
    expect(parts.map(outlineOf).join('')).toMatchSnapshot();
    expect(outlineOf(searchForm())).toContain('value= ');
    const before = page({ formToken: undefined });
    expect(before).not.toMatch(/<dialog|sign-out|class="console"/);
  });

  test('has the style of its pages, and scripts for keys and for days', () => {
    const sizes = [page({}), page({ isByDay: true }), page({ formToken: undefined })].map((shown) => [
      ...[/<script>\s*const keys/, /asReadersDays/, /\.tasks/].map((part) => part.test(shown)),
    ]);
    expect(sizes).toEqual([
      [true, false, true],
      [true, true, true],
      [false, false, false],
    ]);
  });

  test.each([
    [0, false, undefined],
    [1, false, '1'],
    [9, false, '9'],
    [9, true, '9+'],
    [10, false, '9+'],
    [3, true, '3+'],
  ])('says that there are %i unread alerts (more: %p) as %p', (count, hasMore, said) => {
    expect(/class="n">\(([^<]*)</.exec(page({ unread: { count, hasMore } }))?.[1]).toBe(said);
  });

  test.each([
    ['nothing to say', flash({ says: '' })],
    [
      'a refusal',
      flash({
        problems: [
          { path: 'domain', message: 'is wrong' },
          { path: 'x', message: LONG },
        ],
      }),
    ],
    ['what was done, with a secret', flash({ kind: 'done', says: LONG, secret: 'svc_1' })],
    ['a question', flash({ kind: 'question', says: 'Sure?' })],
  ])('says %s', (_what, left) => {
    const shown = page({ flash: left });
    expect(outlineOfPage(shown)).toMatchSnapshot();
  });

  test('tells who can only read so', () => {
    expect([true, false].map((canWrite) => outlineOf(readOnlyNote(canWrite))).join('')).toMatchSnapshot();
  });
});

describe('adding domains', () => {
  const added = [
    { typed: 'a.example', id: 'a' },
    { typed: `b.${LONG}`, problem: 'must be a domain' },
    { typed: 'c.example' },
  ];
  test.each([
    ['empty', undefined],
    ['refused', flash({ typed: { domain: 'x' }, problems: [{ path: 'domain', message: 'is no domain' }] })],
    ['a list, refused', flash({ form: 'addDomains', typed: { domains: 'x\ny' } })],
    ['all added', flash({ kind: 'done', form: 'addDomains', says: '', added: added.slice(0, 1) })],
    [
      'some added, and some left',
      flash({
        ...({ kind: 'done', form: 'addDomains', says: '', added } as const),
        typed: { domains: 'd.example\n\ne.example', tags: 't' },
      }),
    ],
    [
      'one left',
      flash({ kind: 'done', form: 'addDomains', says: '', added, typed: { domains: 'd.example' } }),
    ],
  ])('%s', (_what, left) => {
    const [empty, shown] = [undefined, left].map((one) =>
      outlineOfPage(addDomainsPage({ formToken, flash: one })),
    );
    expect(left === undefined ? empty : differenceOf(empty ?? '', shown ?? '')).toMatchSnapshot();
  });
});

describe('many domains at once', () => {
  test.each([1, 2, 1000, 1001])('of %i that match', (matching) => {
    const left =
      matching === 2
        ? flash({
            form: 'updateManyInConsole',
            typed: { tag: 't' },
            problems: [
              { path: 'addTag', message: 'is long' },
              { path: 'usageType', message: 'is none' },
            ],
          })
        : undefined;
    const shown = outlineOf(manyForm({ formToken, query: 'q=x', matching, flash: left }));
    expect(matching < 3 ? shown : /.*(?:domains?)$/m.exec(shown)?.[0]).toMatchSnapshot();
  });

  test('what became of them', () => {
    const added = [{ typed: 'a.example' }, { typed: 'b.example', problem: LONG }];
    const outcomes = [
      undefined,
      flash({}),
      flash({ added: [] }),
      flash({ added }),
      flash({ kind: 'question', typed: { ids: 'a' } }),
      flash({ kind: 'question', added: [], typed: { ids: 'a,b' } }),
      flash({ kind: 'done', added, typed: { ids: 'a,b,c', tag: 't' } }),
    ];
    expect(
      outcomes.map((left) => outlineOf(manyOutcomes({ formToken, flash: left }))).join(''),
    ).toMatchSnapshot();
    expect(
      [undefined, flash({ kind: 'done', typed: { a: '' } }), flash({ typed: { a: '' } })].map((left) => [
        ...tickedIn(left),
      ]),
    ).toEqual([[], [], ['a']]);
  });

  test('saved views', () => {
    const views = [
      { name: 'All', query: '' },
      { name: 'Weak', query: 'grade=F' },
    ];
    const left = flash({
      form: 'saveView',
      typed: { name: 'n' },
      problems: [{ path: 'name', message: 'exists' }],
    });
    const shown = [true, false].flatMap((canWrite) =>
      (canWrite ? [[], views, views.slice(1)] : [[], views]).flatMap((of) =>
        ['', 'grade=F', 'q=x'].map((query) => {
          const one = outlineOf(savedViews(of, { formToken, query, canWrite, flash: left }));
          return `${canWrite ? 'editor' : 'reader'}, ${of.length} views, at "${query}":${one}`;
        }),
      ),
    );
    expect(`\n${shown.join('')}`).toMatchSnapshot();
  });
});

test.each([
  ['all sessions', askInSettingsPage({ formToken, about: 'sessions', isWhole: true })],
  ['own sessions', askInSettingsPage({ formToken, about: 'sessions', isWhole: false })],
  [
    'a token',
    askInSettingsPage({
      ...({ formToken, about: 'token', withCreated: false, isOwn: false } as const),
      token: { id: 't1', name: LONG, lastUsedOn: null },
    }),
  ],
  [
    'the own token with what it created',
    askInSettingsPage({
      ...({ formToken, about: 'token', withCreated: true, isOwn: true } as const),
      token: { id: 't1', name: 'CI', lastUsedOn: '2026-01-30' },
    }),
  ],
  ['leaving', askAboutMemberPage({ formToken }, { about: 'leave', mail: LONG })],
  [
    'a member',
    askAboutMemberPage({ formToken }, { about: 'member', id: 'm1', mail: 'a@example.org', isOwn: false }),
  ],
  [
    'oneself',
    askAboutMemberPage({ formToken }, { about: 'member', id: 'm1', mail: 'a@example.org', isOwn: true }),
  ],
  ['a domain', askAboutDomainPage({ formToken }, { id: 'd1', domain: 'example.org' }, 'delete')],
  ['a badge', askAboutDomainPage({ formToken }, { id: 'd1', domain: 'example.org' }, 'badge')],
  ['a proof', confirmPage({ formToken, flash: flash({ says: '', typed: { a: '1' } }) })],
  ['a proof again', confirmPage({ formToken, flash: flash({ says: 'Wrong.' }) })],
])('a page that asks about %s', (_what, page) => {
  expect(outlineOfPage(page)).toMatchSnapshot();
});

test.each([
  ['a token', { keepsSession: true }],
  ['a token, in vain', { keepsSession: true, problem: 'It is not valid.' }],
  ['a token, for a page, over plain HTTP', { keepsSession: false, to: '/console/alerts' }],
  ['a link', { keepsSession: true, link: 'svl_1', provider: 'id.example', problem: 'It is used.' }],
  ['a provider', { keepsSession: true, provider: 'id.example' }],
  [
    'a provider, in vain, for a page, again',
    {
      ...({ keepsSession: true, provider: 'id.example', problem: 'No.', to: '/console/x' } as const),
      ...{ isProof: true, hasLeft: true },
    },
  ],
])('signing in with %s', (_what, view) => {
  const [simple, shown] = [{ keepsSession: true }, view].map((one) => outlineOfPage(signInPage(one)));
  expect(differenceOf(Object.keys(view).length === 1 ? '' : (simple ?? ''), shown ?? '')).toMatchSnapshot();
});

test('an invitation, and the page after signing in', () => {
  const invitation = {
    ...({ name: LONG, mail: 'a@example.org', scope: 'write', until: '2026-02-01T08:00:00.000Z' } as const),
    ...({ link: 'svi_1', provider: 'id.example' } as const),
  } as const;
  expect(outlineOfPage(invitationPage(invitation))).toMatchSnapshot();
  const page = signedInPage('/console/a?b=c');
  expect(`${/<meta http-equiv[^>]*>/.exec(page)?.[0]}${outlineOfPage(page)}`).toMatchSnapshot();
});
