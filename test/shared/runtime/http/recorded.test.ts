/** Cookies, addresses, headers and error texts at their limits, and what requests are read as. */
import { describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { acceptance } from '../../../../shared/runtime/http/acceptance.ts';
import { inPieces, joined, jsonBody } from '../../../../shared/runtime/http/body.ts';
import { endpoint } from '../../../../shared/runtime/http/endpoint.ts';
import type { EndpointEvent } from '../../../../shared/runtime/http/endpoint-event.ts';
import {
  asRefusal,
  errorResponse,
  placedIn,
  rateLimited,
  refusal,
  ServiceError,
} from '../../../../shared/runtime/http/errors.ts';
import { keptFormCookie, keptFormIn } from '../../../../shared/runtime/http/kept-form.ts';
import { lessThan, limitRows } from '../../../../shared/runtime/http/limit-rows.ts';
import { refuseForeignForms } from '../../../../shared/runtime/http/middleware/refuse-foreign-forms.ts';
import { pageLinks } from '../../../../shared/runtime/http/page-links.ts';
import { pageTokens } from '../../../../shared/runtime/http/page-tokens.ts';
import { isProven } from '../../../../shared/runtime/http/proof.ts';
import { contentReply, pageOf, reply } from '../../../../shared/runtime/http/reply.ts';
import {
  cacheControlOf,
  type Format,
  isPublicTool,
  type Route,
} from '../../../../shared/runtime/http/route.ts';
import {
  endedCookie,
  keepsSession,
  pageOfForm,
  providerSignInPath,
  refererPath,
  returnPath,
  sessionCookie,
  sessionIn,
  signedOut,
  signedOutPath,
  signInLinkPath,
  signInPath,
  withFlash,
} from '../../../../shared/runtime/http/session-cookie.ts';
import {
  attemptCookie,
  attemptIn,
  browserCookie,
  browserIn,
  endedAttempt,
} from '../../../../shared/runtime/http/sign-in-attempt.ts';
import { answerTooLarge } from '../../../../shared/runtime/http/too-large.ts';
import { Contended } from '../../../../shared/store/contention.ts';
import { gatewayEvent, invocation, plainRoute } from '../../../kit/http.ts';
import { usePlainMessages } from '../../../kit/plain-messages.ts';
import { listed } from '../../../kit/recorded-lines.ts';

usePlainMessages();

Object.assign(process.env, { LOG_LEVEL: 'silent', HOST_URL: 'https://monitor.acme.org' });

/** Records each input with its output, long runs of a letter by their length. */
function record<Input>(inputs: readonly Input[], output: (input: Input) => unknown): void {
  const lines = inputs.map((input) => {
    let result: unknown;
    try {
      result = output(input);
    } catch (error) {
      const { message, headers = {}, details } = error as ServiceError;
      result = ['thrown', message, headers, details];
    }
    return `${JSON.stringify(input)} -> ${JSON.stringify(result) ?? 'undefined'}`.replaceAll(
      /x{9,}/g,
      (all) => `(${all.length} x)`,
    );
  });
  expect(listed(lines)).toMatchSnapshot();
}

describe('addresses', () => {
  const paths = [
    ...['/console', '/console/', "/console/a-b/c_d?e=%20+.~!*'()-&f", '/console?x', '/console/sign-in'],
    ...['/console/a/sign-out', '/console/signals', '//console', 'https://evil.test/console', '/consoles', ''],
    ...['/console/a#b', '/console/a?b#c', '/console/a//b', `/console/${'x'.repeat(1991)}`],
    ...['/\\evil.test', '/console/../api', '/console\r\nx: y', 'javascript:alert(1)'],
    `/console/${'x'.repeat(1992)}`,
  ];

  test('to return to', () => {
    record([undefined, ...paths], returnPath);
  });

  test('of pages to sign in', () => {
    const lines = [
      ...[signInPath(), signInPath('/console'), signInPath('/console/a?b=c'), signInPath(undefined, 'link')],
      ...[
        signInPath('/console/a', 'link'),
        signedOutPath,
        signInLinkPath('a&b'),
        providerSignInPath(undefined),
      ],
      ...[providerSignInPath('/console'), providerSignInPath('/console/a', { link: 'l', fresh: true })],
      providerSignInPath('/console/a', { fresh: false }),
    ];
    expect(listed(lines)).toMatchSnapshot();
  });

  test('with what a form did', () => {
    const locations = ['/a', '/a?b=c', '/a?flash=old&b=c', '/a?flash=old', '/a#d', '/a?b=c#d'];
    const both = locations.flatMap((one) => [[one, 'new'] as const, [one, undefined] as const]);
    record(both, ([location, id]) => withFlash(location, id));
  });

  test('of the page that a form was on', () => {
    const referers = [
      ...[
        'https://h.test/console/a?b=c',
        'https://h.test/console/a/ask',
        'https://h.test/console/confirm?x=y',
      ],
      ...[
        'https://h.test/console/asks',
        'https://other.test/console/a',
        'https://h.test//evil.test/console',
        'no',
      ],
      ...['https://h.test/other', `https://h.test/console/${'x'.repeat(1991)}`],
      `https://h.test/console/${'x'.repeat(1992)}`,
    ];
    const headersOf = (referer: string | undefined) => ({
      host: 'h.test',
      ...(referer !== undefined && { referer }),
    });
    const pathParameters = { id: 'a/b' };
    const template = '/console/domains/{id}/{other}';
    record([undefined, ...referers], (referer) => [
      refererPath(headersOf(referer)),
      pageOfForm({ headers: headersOf(referer) }),
      pageOfForm({ headers: headersOf(referer), pathParameters }, template),
    ]);
  });

  test('of other pages of a list', () => {
    const rows = [
      ...[undefined, { page: 1, limit: 5, hasMore: false }, { page: 1, limit: 5, hasMore: true }],
      ...[
        { page: 2, limit: 5, hasMore: false },
        { page: 2, limit: 5, hasMore: true },
      ],
      { page: 2, limit: 5, hasMore: true, nextPageToken: 't' },
    ];
    const all = rows.flatMap((pagination) =>
      ['', 'a=b&page=2', 'pageToken=s&page=2'].map((query) => [pagination, query] as const),
    );
    record(all, ([pagination, rawQueryString]) =>
      pageLinks({ rawPath: '/list', rawQueryString }, pagination === undefined ? {} : { pagination }),
    );
  });

  test('at which browsers keep a session', () => {
    const hosts = [
      'https://a.test',
      'http://a.test',
      'http://localhost:3000',
      'http://127.0.0.1',
      'http://127.1.2.3',
    ];
    record(
      [...hosts, 'http://128.0.0.1', 'http://[::1]:8', 'http://[::2]', 'http://localhost.a'],
      keepsSession,
    );
  });
});

describe('cookies', () => {
  test('of sessions', () => {
    const cookies = [
      [],
      ['a=b'],
      ['__Host-session=s'],
      ['a=b', '__Host-session=s.t=u'],
      ['__Host-session=s', '__Host-session=t'],
    ];
    record(cookies, sessionIn);
    expect([sessionCookie('s'), endedCookie, signedOut({ data: 1, headers: { a: 'b' } })]).toMatchSnapshot();
  });

  test('of browsers', () => {
    const id = (length: number) => `__Host-browser=${'x'.repeat(length)}`;
    const cookies = [[], [id(42)], [id(43)], [id(44)], [id(43), id(43)], ['a=b', id(43)], [`${id(42)}!`]];
    record(cookies, browserIn);
    expect([browserCookie('b'), endedAttempt]).toMatchSnapshot();
  });

  const began = new Date('2026-03-01T06:00:00Z');
  const attempt = { state: 's', nonce: 'n', verifier: 'v', isFresh: false, to: '/console' };
  const cookieOf = (kept: object) =>
    attemptCookie(kept as typeof attempt, began)['set-cookie'].split('; ')[0] ?? '';
  test('of attempts to sign in', () => {
    expect(attemptCookie(attempt, began)['set-cookie'].split('; ').slice(1)).toMatchSnapshot();
    const own = cookieOf({ ...attempt, link: 'l', replaces: { organization: 'o', id: 'i' } });
    const rows = [
      ...([
        [[own], 's', 0],
        [[own], 's', -1],
        [[own], 's', 600_000],
        [[own], 's', 600_001],
      ] as const),
      ...([
        [[own], 't', 0],
        [[own], null, 0],
        [[], 's', 0],
        [[own, own], 's', 0],
        [['a=b', own], 's', 0],
      ] as const),
      ...([
        [[cookieOf({ ...attempt, nonce: 1 })], 's', 0],
        [['__Host-provider=x'], 's', 0],
      ] as const),
    ];
    const shown = rows.map(([cookies, state, age]) => {
      const known = attemptIn(cookies, state, new Date(began.getTime() + age));
      return `${cookies.length} cookies, ${state}, ${age} ms later: ${JSON.stringify(known)}`;
    });
    expect(listed(shown)).toMatchSnapshot();
  });

  test('of forms', () => {
    const kept = {
      organization: 'o',
      form: 'f',
      action: '/a',
      page: '/p',
      typed: { name: 'ü' },
      isProof: true,
    };
    const [cookie = '', ...attributes] = keptFormCookie(kept)['set-cookie'].split('; ');
    expect([
      attributes,
      keptFormIn(['a=b', cookie]),
      keptFormIn([]),
      keptFormIn(['__Host-form=x']),
    ]).toMatchSnapshot();
    const empty = JSON.stringify({ ...kept, typed: { name: '' } }).length;
    const isRead = (octets: number) => {
      const long = { ...kept, typed: { name: 'x'.repeat(octets - empty) } };
      return keptFormIn([keptFormCookie(long)['set-cookie'].split('; ')[0] ?? '']) !== undefined;
    };
    expect([64 * 1024, 64 * 1024 + 1].map(isRead)).toEqual([true, false]);
    // What is random does not get shorter: 2850 octets have 3800 characters.
    let state = 1;
    const noise = (length: number) =>
      Array.from({ length }, () => {
        state = (state * 48_271) % 2_147_483_647;
        return String.fromCharCode(33 + (state % 90));
      }).join('');
    const lengths = Array.from({ length: 90 }, (_, n) => {
      const [value = ''] = keptFormCookie({ ...kept, typed: { name: noise(3_000 + n * 10) } })[
        'set-cookie'
      ].split('; ');
      return [value.length, Object.keys(keptFormIn([value])?.typed ?? {}).length] as const;
    });
    const withText = lengths
      .filter(([, fields]) => fields === 1)
      .map(([length]) => length - '__Host-form='.length);
    expect([Math.max(...withText) <= 3_800, Math.max(...withText) > 3_780, withText.length < 90]).toEqual([
      true,
      true,
      true,
    ]);
  });
});

describe('errors', () => {
  const path = (one: string) => ({ path: one, message: 'is wrong' });
  test('as responses', () => {
    const errors = [
      ...[
        new ServiceError('not_found'),
        new ServiceError('forbidden', 'No.', { details: [path('a')], headers: { a: 'b' } }),
      ],
      ...[
        new Error('secret'),
        rateLimited(0),
        rateLimited(1),
        rateLimited(1_000),
        rateLimited(1_001, 'Slowly.'),
      ],
      ...[asRefusal(new Contended()), asRefusal(new Error('x')), 'no error'],
      ...[
        refusal({ code: 'not_found', message: 'None.' } as never),
        refusal({ code: 'forbidden', retryAfterMilliseconds: 5_001 } as never),
      ],
      refusal({ code: 'invalid_request', problems: [path(''), path('b')] } as never, 'form'),
      refusal({ code: 'invalid_request', problems: [path('b')] } as never),
    ];
    record(
      errors.map((_, n) => n),
      (n) => errorResponse(errors[n], 'r1'),
    );
    const [own] = errors;
    expect([asRefusal(own), asRefusal('no error')]).toEqual([own, undefined]);
    expect([placedIn('query')(path('')), placedIn('query')(path('a.b'))]).toMatchSnapshot();
  });

  const formats: readonly Format[] = [
    { ...{ ending: '.csv', mediaType: 'text/csv', description: '', name: 'csv' }, summary: '' } as Format,
    {
      ...{ ending: '.zone', mediaType: 'application/xml', description: '', name: 'xml' },
      summary: '',
    } as Format,
  ];
  test('of responses that are too large', () => {
    const rows = [
      ...[
        { gzip: true, format: undefined },
        { gzip: false, format: undefined },
        { gzip: false, format: 'text/csv' },
      ],
    ];
    record(rows, (accepts) => [
      ...[answerTooLarge(accepts, {}), answerTooLarge(accepts, { formats, lessBy: ['a smaller limit'] })].map(
        ({ message }) => message,
      ),
    ]);
    const megabytes = 1024 * 1024;
    const limits = [
      ...[
        [6 * megabytes, false],
        [6 * megabytes + 1, false],
        [6 * megabytes + 1, true],
        [80 * megabytes, true],
      ],
      [80 * megabytes + 1, true],
    ] as const;
    const route = { success: { formats } } as unknown as Route;
    const reports = (octets: number) => [{ listed: { rowOctets: octets - 1 } }, { listed: { rowOctets: 1 } }];
    record(limits, ([octets, gzip]) => limitRows(reports(octets), { gzip, format: undefined }, route));
    record([80 * megabytes], (octets) =>
      limitRows(reports(octets), { gzip: false, format: 'text/csv' }, route),
    );
    expect([lessThan([]), lessThan([1]), lessThan([1, 2])]).toEqual([
      [],
      [],
      ['a smaller limit', expect.any(String)],
    ]);
  });

  test('what a client accepts', () => {
    const accepts = [
      ...[
        undefined,
        '*/*',
        'text/csv',
        'text/csv, application/json',
        'text/csv;q=0.5, */*;q=0.4',
        'TEXT/CSV ; Q=0.9',
      ],
      ...[
        'text/csv;q=0',
        'application/xml, text/csv',
        'application/*;q=0.1, application/xml;q=0.2',
        'text/csv;q=x',
      ],
    ];
    const shown = (headers: object, rawPath = '/list') =>
      acceptance({ headers: { ...headers }, rawPath }, formats);
    record(accepts, (accept) => shown({ accept }).format ?? 'JSON');
    record(
      ['/list.csv', '/list.json', '/list.zone'],
      (rawPath) => shown({ accept: 'text/csv' }, rawPath).format,
    );
    const encodings = [
      undefined,
      'gzip',
      'br, GZIP;q=0.1',
      'gzip;q=0',
      '*',
      'gzip;q=0.0',
      'deflate',
      'x-gzip',
    ];
    record(encodings, (encoding) => shown({ 'accept-encoding': encoding }).gzip);
  });
});

describe('lists', () => {
  test('in pages', () => {
    const all = [1, 2, 3, 4];
    const queries = [
      [1, 3],
      [2, 3],
      [3, 3],
      [1, 4],
      [1, 5],
      [2, 2],
    ] as const;
    record(queries, ([page, limit]) => pageOf(all, { page, limit }));
  });

  test('that go on after a row, with tokens of their own', async () => {
    const table = {
      get: async () => ({ secret: Buffer.alloc(32, 1).toString('base64url') }),
      update: async () => true,
    };
    const tokens = pageTokens(table as never);
    const query = { page: 1, limit: 5, b: '1', a: '2' };
    const place = async (given: object = {}, more: object = {}, name = 'list') =>
      tokens
        .placeOf({ name }, { organization: 'o', path: { id: 1 }, query: { ...query, ...given }, ...more })
        .catch((error: ServiceError) => error.message);
    const first = await place();
    if (typeof first === 'string') throw new Error(first);
    const pages = [
      ...[
        await tokens.paginationOf(first, { hasMore: false, last: 'r' }),
        await tokens.paginationOf(first, { hasMore: true, last: undefined }),
      ],
    ];
    const { nextPageToken: pageToken = '' } = await tokens.paginationOf(first, {
      hasMore: true,
      last: 'row 5',
    });
    const second = await place({ pageToken });
    const { list, ...shown } = second as { list: string };
    expect([list, pages, shown]).toMatchSnapshot();
    expect(await place({ pageToken, a: '2', b: '1', page: 9, limit: 6 })).toMatchObject({
      page: 2,
      after: 'row 5',
      limit: 6,
    });
    const others = [
      ...[
        place({ pageToken, a: '3' }),
        place({ pageToken }, { organization: 'p' }),
        place({ pageToken }, { path: {} }),
      ],
      ...[
        place({ pageToken }, {}, 'other'),
        place({ pageToken: 'x' }),
        place({ pageToken: `A${pageToken.slice(1)}` }),
      ],
    ];
    expect(new Set(await Promise.all(others))).toMatchSnapshot();
  });
});

test('a proof counts for ten minutes, and a new one is a token or a link of the organization', async () => {
  const now = new Date('2026-03-01T10:00:00Z');
  const own = { id: 't', organization: 'o', scope: 'write' };
  const asked: string[] = [];
  const proven = async (
    age: number,
    proof = '',
    given: { link?: object; ended?: boolean; member?: boolean } = {},
  ) => {
    const token = { ...own, ...(given.member && { member: { person: 'p' } }) };
    const session = { id: 's', authenticatedAt: new Date(now.getTime() - age).toISOString() };
    const request = { organization: 'o', token, session, clientAddress: '192.0.2.1', form: { proof } };
    const takeLink = async (link: string) => {
      asked.push(link);
      return given.link;
    };
    const deps = {
      sessions: { takeLink, authenticated: async () => given.ended !== true },
      tokens: { get: async () => undefined },
      clock: { now: () => now },
    };
    return isProven(request as never, deps as never).catch((error: Error) => error.message);
  };
  const link = 'https://monitor.acme.org/console/sign-in?link=l';
  const good = { link: { ...own, networks: [] } };
  const results = [
    ...[
      await proven(599_999),
      await proven(600_000),
      await proven(600_000, link, good),
      await proven(600_000, 'token', good),
    ],
    ...[
      await proven(600_000, link, { link: { ...good.link, organization: 'p' } }),
      await proven(600_000, link),
    ],
    ...[
      await proven(600_000, link, { link: { ...good.link, scope: 'read' } }),
      await proven(600_000, link, { link: { ...good.link, networks: ['10.0.0.0/8'] } }),
      await proven(600_000, link, { ...good, ended: true }),
    ],
    ...[await proven(600_000, link, { ...good, member: true }), await proven(599_999, '', { member: true })],
  ];
  expect([results, asked]).toMatchSnapshot();
});

test('forms are only taken from pages of this host', () => {
  const before = refuseForeignForms().before as (request: { event: Partial<EndpointEvent> }) => void;
  const headers = [
    ...[
      {},
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'same-site' },
    ],
    ...[{ 'sec-fetch-site': 'cross-site', origin: 'https://h.test' }, { origin: 'https://monitor.acme.org' }],
    ...[
      { origin: 'https://h.test' },
      { origin: 'http://h.test' },
      { origin: 'https://h.test.evil' },
      { origin: 'https://h.test:8443' },
      { origin: 'http://monitor.acme.org' },
      { 'sec-fetch-site': 'same-origin', origin: 'https://127.0.0.1' },
      { origin: 'null' },
    ],
  ];
  record(headers, (given) => before({ event: { headers: { host: 'h.test', ...given } } }) ?? 'taken');
});

describe('requests and responses of an endpoint', () => {
  const base = {
    ...plainRoute,
    method: 'POST',
    path: '/api/v1/echo/{id}',
    request: {
      path: z.object({ id: z.string().check(z.regex(/^\d+$/, 'There is none.')) }),
      query: z.object({ limit: z.optional(z.string().check(z.regex(/^\d+$/, 'must be a number'))) }),
      body: z.object({ name: z.string('must be a text') }, 'must be an object'),
    },
    success: { status: 201, description: '', envelope: 'data', schema: z.unknown() },
  };
  const eventOf = (given: object) => {
    const sent = { rawPath: '/api/v1/echo/1', pathParameters: { id: '1' }, body: '{"name":"x"}' };
    return gatewayEvent({ ...sent, ...type('application/json'), ...given }, { method: 'POST' });
  };
  const call = async (given: object, route: object = {}, answer?: () => unknown) => {
    const own = { ...base, ...route } as unknown as Route;
    const handler = endpoint(
      own,
      () => ({}),
      async ({ path, query, body, form, rawQuery, userAgent, canWrite }) =>
        (answer?.() ?? reply({ path, query, body, form, rawQuery, userAgent, canWrite })) as never,
    );
    return handler(eventOf(given), invocation);
  };
  const shown = async (given: object, route: object = {}) => {
    const { statusCode, body = '', headers = {} } = await call(given, route);
    const { error, data } = JSON.parse(body || '{}');
    const more = headers.allow === undefined ? '' : ` allow ${headers.allow}`;
    const said = JSON.stringify(data ?? [error.code, ...(error.details ?? [error.message])]);
    // The rest is in the words of the JavaScript engine.
    return `${statusCode}${more} ${said.replace(/(?<=not valid JSON: )[^"]+/, '...')}`;
  };

  const type = (one: string) => ({ headers: { 'content-type': one } });
  const page = { path: '/echo/{id}' };
  const form = { ...page, request: { form: z.object({ name: z.string('must be a text') }) } };
  const sent = (body: string) => ({ body, ...type('application/x-www-form-urlencoded') });
  const csv = { ending: '.csv', mediaType: 'text/csv', description: '', without: ['limit'] };
  const readings: readonly [string, object, object?][] = [
    [
      'all parts',
      { rawQueryString: 'limit=5', headers: { 'content-type': 'application/json', 'user-agent': 'u' } },
    ],
    ['a body in base64', { body: Buffer.from('{"name":"ü"}').toString('base64'), isBase64Encoded: true }],
    ['no body', { body: undefined }],
    ['an empty body', { body: '' }],
    ['a body that is no JSON', { body: '{' }],
    ['a body that is a list', { body: '[]' }],
    ['further fields', { rawQueryString: 'more=1', body: '{"name":"x","b":{}}' }],
    ['further fields of a page', { rawQueryString: 'more=1', body: '{"name":"x","b":{}}' }, page],
    ['a body without a schema', {}, { request: {} }],
    ['an empty body without a schema', { body: '{}' }, { request: {} }],
    ['a body without a schema to a page', {}, { ...page, request: {} }],
    ['a body of GET without a schema', {}, { method: 'GET', request: {} }],
    ['no body without a schema', { body: undefined }, { request: {} }],
    ['problems of all parts', { rawQueryString: 'limit=x', body: '{"name":1}' }],
    ['a repeated parameter', { rawQueryString: 'limit=1&limit=2' }],
    ['an ID that is none', { pathParameters: { id: 'a' } }],
    ['no ID', { pathParameters: undefined }],
    ['another type', type('text/plain')],
    ['the type of a problem', type('application/problem+json ; charset=utf-8')],
    ['a type that begins like JSON', type('application/jsonx')],
    ['a form', sent('name=a+b%C3%BC'), form],
    ['a form with a repeated field', sent('name=a&name=b'), form],
    ['a form without its field', sent(''), form],
    ['a form as JSON', {}, form],
    ['a reserved name', { rawPath: '/api/v1/echo/search' }, { reserved: { search: ['GET', 'HEAD'] } }],
    ['a name of all objects', { rawPath: '/api/v1/echo/constructor' }, { reserved: {} }],
    [
      'a parameter that its format does not know',
      { rawPath: '/api/v1/echo/1.csv', rawQueryString: 'limit=1' },
      { success: { ...base.success, formats: [csv] } },
    ],
    [
      'a parameter of another format',
      { rawQueryString: 'limit=1' },
      { success: { ...base.success, formats: [csv] } },
    ],
  ];
  test('are read with all their problems', async () => {
    const lines: string[] = [];
    for (const [title, given, route] of readings) lines.push(`${title}: ${await shown(given, route)}`);
    expect(listed(lines)).toMatchSnapshot();
  });

  const gzip = { headers: { 'content-type': 'application/json', 'accept-encoding': 'gzip' } };
  test('are compressed from 16 KB on, and refused beyond 6 MB', async () => {
    const bare = { success: { ...base.success, envelope: 'bare', contentType: 'text/plain' } };
    const bytes = (length: number) => contentReply('image/png', new Uint8Array(length));
    const large = (length: number): unknown => reply('x'.repeat(length));
    const cases: readonly (readonly [number, object, (length: number) => unknown])[] = [
      ...([
        [16_383, gzip, large],
        [16_383, {}, large],
        [16_384, gzip, large],
        [16_384, {}, large],
      ] as const),
      ...([
        [6_275_072, {}, large],
        [6_275_073, {}, large],
        [6_275_073, gzip, large],
      ] as const),
      ...([
        [4_706_304, {}, bytes],
        [4_706_305, {}, bytes],
        [1, gzip, bytes],
      ] as const),
    ];
    const lines: string[] = [];
    for (const [length, given, answer] of cases) {
      const { statusCode, headers = {}, isBase64Encoded } = await call(given, bare, () => answer(length));
      lines.push(
        `${length}: ${statusCode} ${headers['content-encoding'] ?? 'as it is'}, vary ${headers.vary ?? 'nothing'}${isBase64Encoded ? ', in base64' : ''}`,
      );
    }
    expect(listed(lines)).toMatchSnapshot();
  });

  test('have headers of their kind', async () => {
    const success = (more: object) => ({ success: { ...base.success, ...more } });
    const get = { method: 'GET', request: {} };
    const rows: readonly [string, object, () => unknown][] = [
      [
        'that create something',
        success({ createsAt: '/api/v1/echo/{id}' }),
        () => reply({ id: 7 }, { a: 'b' }),
      ],
      ['with a version', {}, () => ({ data: 1, version: 'v7', cookies: ['a=b', 'c=d'] })],
      ['that are fresh', { ...get, ...success({ freshSeconds: 60 }) }, () => reply(1)],
      ['with a status', {}, () => ({ data: 1, status: 400 })],
      ['in a file', {}, () => contentReply('text/csv', ['a', 'b'], 'a.csv')],
      [
        'that say nothing of an error',
        {},
        () => {
          throw new Error('secret');
        },
      ],
      ['of a page of a list', success({ envelope: 'page' }), () => pageOf([1, 2], { page: 1, limit: 1 })],
    ];
    const lines: string[] = [];
    for (const [title, route, answer] of rows) {
      const { statusCode, headers, body, cookies } = await call({}, route, answer);
      lines.push(
        `${title}: ${statusCode} ${body} ${cookies ?? ''}`,
        ...Object.entries(headers ?? {}).map(([name, value]) => `  ${name}: ${value}`),
      );
    }
    expect(listed(lines)).toMatchSnapshot();
  });

  test('that are fixed are made once for each encoding', async () => {
    let made = 0;
    const fixed = { ...base, success: { ...base.success, isFixed: true } } as unknown as Route;
    const handler = endpoint(
      fixed,
      () => ({}),
      async () => {
        made += 1;
        return reply(`${made}${'x'.repeat(20_000)}`) as never;
      },
    );
    const bodies = new Set<string>();
    for (const given of [{}, gzip, {}, gzip])
      bodies.add((await handler(eventOf(given), invocation)).body ?? '');
    expect(bodies.size).toBe(2);
  });

  test('can be cached by their route', () => {
    const routes = [
      ...[
        { success: { freshSeconds: 5 }, access: 'public', method: 'GET' },
        { success: {}, access: 'token', method: 'GET' },
      ],
      ...[
        { success: {}, access: 'token', method: 'POST' },
        { success: {}, access: 'session', method: 'GET' },
      ],
      ...[{ success: { isConfidential: true }, access: 'token', method: 'GET' }],
    ];
    record(routes, (one) => cacheControlOf(one as never));
    const tools = (['public', 'token'] as const).flatMap((access) =>
      (['client', 'queries', 'polls', 'none'] as const).map((rate) => ({ access, rate })),
    );
    record(tools, isPublicTool);
  });
});

describe('bodies', () => {
  test('have pieces of at least 64 KB', () => {
    const texts = ['x'.repeat(65_535), 'y', 'z', 'x'.repeat(65_536), ''];
    expect([...inPieces(texts)].map(({ length }) => length)).toEqual([65_536, 65_537, 0]);
    expect(['ü', 'üa'].map((text) => joined([text, ''], 2))).toEqual(['ü', undefined]);
    expect(jsonBody({ a: [] })).toBe('{"a":[]}');
  });
});
