/** Pages that run a tool, requested by pages of other sites. */
import { expect, test } from '@jest/globals';
import { routes } from '../../../../functions/routes.ts';
import { pages } from '../../../../shared/pages/presentation.ts';
import { endpoint } from '../../../../shared/runtime/http/endpoint.ts';
import { reply } from '../../../../shared/runtime/http/reply.ts';
import { gatewayEvent, invocation } from '../../../kit/http.ts';

process.env.LOG_LEVEL = 'silent';
// The rate limit of the tools would need a table.
process.env.TOOL_RATE_PER_MINUTE = '0';

type Answer = { readonly status: number | undefined; readonly runs: number; readonly body: string };

async function visit(
  route: 'showDomainCheck' | 'showSpfChecker' | 'getDomainCheckShare',
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  let runs = 0;
  const handler = endpoint(
    routes[route],
    () => ({}),
    async () => {
      runs += 1;
      return reply('<p>result');
    },
    pages,
  );
  const given = { rawQueryString: 'domain=example.org', pathParameters: { shareId: '0'.repeat(24) } };
  const { statusCode, body = '' } = await handler(
    gatewayEvent({ ...given, headers }, { method: 'GET' }),
    invocation,
  );
  return { status: statusCode, runs, body };
}

const from = (site: string, destination: string, more = {}) => ({
  'sec-fetch-site': site,
  'sec-fetch-dest': destination,
  ...more,
});

test.each([
  ['an image', from('cross-site', 'image')],
  ['a frame', from('cross-site', 'iframe')],
  ['a script', from('cross-site', 'script')],
  ['a fetch', from('cross-site', 'empty')],
  ['a prefetched document', from('cross-site', 'document', { 'sec-purpose': 'prefetch;prerender' })],
  ['no destination', { 'sec-fetch-site': 'cross-site' }],
])('%s of another site runs no check', async (_, headers) => {
  for (const route of ['showDomainCheck', 'showSpfChecker'] as const) {
    const { status, runs, body } = await visit(route, headers);
    expect([route, status, runs]).toEqual([route, 403, 0]);
    expect(body).toContain('Other sites cannot run this check. Open this page itself instead.');
  }
});

test.each([
  ['a link on another site', from('cross-site', 'document')],
  ['the page that waits for the result', from('same-origin', 'empty')],
  ['an address that somebody typed', from('none', 'document')],
  ['a browser without these headers', {}],
])('%s runs the check', async (_, headers) => {
  for (const route of ['showDomainCheck', 'showSpfChecker'] as const) {
    expect(await visit(route, headers)).toMatchObject({ status: 200, runs: 1 });
  }
});

test('a page that runs no check can be embedded', async () => {
  expect(await visit('getDomainCheckShare', from('cross-site', 'image'))).toMatchObject({
    status: 200,
    runs: 1,
  });
});
