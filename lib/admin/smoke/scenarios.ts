/** All journeys of the smoke test. */
import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { missing } from '../../../shared/api/common.ts';
import { domainCheckResult } from '../../../shared/api/domain-checker.ts';
import { spfCheckResult } from '../../../shared/api/spf-checker.ts';
import { type Call, type Client, parsed } from './client.ts';
import { domainScenario } from './domain-scenario.ts';
import { notificationScenario } from './notification-scenario.ts';
import { errorBody, expectThat, oneStep, type Scenario } from './scenario.ts';
import type { MailServer } from './send-message.ts';
import { testerScenario } from './tester-scenario.ts';
import { tokenScenario } from './token-scenario.ts';

/** All journeys in order; mail is sent only if a mail server is given. */
export function scenarios(api: Client, smtp: MailServer | undefined): readonly Scenario[] {
  // Nobody can register a name under .test (RFC 6761 section 6.2), and no records exist there.
  const domain = `smoke-${randomBytes(8).toString('hex')}.test`;
  return [
    ...refusals(api),
    description(api),
    domainScenario(api, smtp, domain),
    tokenScenario(api, domain),
    ...notificationScenario(api),
    domainChecker(api, domain),
    spfChecker(api, domain),
    testerScenario(api, smtp, domain),
    pages(api),
  ];
}

function refusals(api: Client): Scenario[] {
  const refused = async (method: string, path: string, status: number, code: string, call?: Call) => {
    const answer = await api.request(method, path, status, call);
    parsed(errorBody(code), answer.text);
    return answer.headers;
  };
  return [
    oneStep('an unknown path returns 404 with an error body', () =>
      refused('GET', '/api/v1/nothing', 404, 'not_found'),
    ),
    oneStep('an unknown method returns 405 with the allowed methods', async () => {
      const headers = await refused('PUT', '/api/v1/domains', 405, 'method_not_allowed');
      expectThat(headers.get('allow') === 'GET, HEAD, POST', `Allow is ${headers.get('allow')}`);
    }),
    oneStep('HEAD works where GET does', () => api.request('HEAD', '/api/v1/domains', 200)),
    oneStep('a request without a token returns 401', async () => {
      const headers = await refused('GET', '/api/v1/domains', 401, 'unauthorized', { token: null });
      expectThat(headers.get('www-authenticate') === 'Bearer', 'WWW-Authenticate is not Bearer');
    }),
    oneStep('a request with an invalid token returns 401', () =>
      refused('GET', '/api/v1/domains', 401, 'unauthorized', { token: 'svc_wrong' }),
    ),
  ];
}

function description(api: Client): Scenario {
  return oneStep('the OpenAPI document is available', async () => {
    const schema = z.object({
      openapi: z.string().check(z.startsWith('3.1')),
      paths: z.object({ '/api/v1/domains': z.object({}) }),
    });
    await api.read(schema, 'GET', '/api/openapi.json', 200, { token: null });
  });
}

function domainChecker(api: Client, domain: string): Scenario {
  return oneStep('the domain checker runs all checks, unless it is turned off', async () => {
    const call = { json: { domain }, token: null };
    const { status, text } = await api.request('POST', '/api/domain-checker', [200, 404], call);
    if (status === 404) {
      // A route that is missing has another message.
      const { error } = parsed(errorBody('not_found'), text);
      expectThat(error.message === missing.domainChecker, `it is not found: ${error.message}`);
      return;
    }
    const { state } = parsed(domainCheckResult, text).results.spf;
    expectThat(state === 'absent', `the state of SPF of a domain without a record is ${state}`);
  });
}

function spfChecker(api: Client, domain: string): Scenario {
  return oneStep('the SPF checker expands a record', async () => {
    const call = { json: { domain }, token: null };
    const { status } = await api.read(spfCheckResult, 'POST', '/api/spf-checker', 200, call);
    expectThat(status === 'no-record', `the status of a domain without a record is ${status}`);
  });
}

function pages(api: Client): Scenario {
  return oneStep('the home page allows no script but its own', async () => {
    const { headers, text } = await api.request('GET', '/', 200, { token: null });
    expectThat(text.startsWith('<!doctype html>'), 'the response is not HTML');
    const policy = headers.get('content-security-policy') ?? '';
    expectThat(
      /default-src 'none'/.test(policy) && !/unsafe/.test(policy),
      `Content-Security-Policy is "${policy}"`,
    );
    expectThat(headers.get('x-content-type-options') === 'nosniff', 'X-Content-Type-Options is not nosniff');
  });
}
