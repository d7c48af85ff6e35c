/** Everything that a deployed service is tried for, each as its users do it. */
import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { spfCheckResult } from '../../../shared/api/spf-checker.ts';
import { type Call, type Client, parsed } from './client.ts';
import { domainJourney } from './domain-journey.ts';
import { alone, errorBody, type Journey, must } from './journey.ts';
import type { MailServer } from './send-message.ts';
import { testerJourney } from './tester-journey.ts';

/** Every journey, in their order; mail is sent where a server is given. */
export function journeys(api: Client, smtp: MailServer | undefined): readonly Journey[] {
  // Nobody can have registered a name below .test (RFC 6761 section 6.2), and nothing is found there.
  const domain = `smoke-${randomBytes(8).toString('hex')}.test`;
  return [
    ...refusals(api),
    description(api),
    domainJourney(api, domain),
    spfChecker(api, domain),
    testerJourney(api, smtp, domain),
    pages(api),
  ];
}

function refusals(api: Client): Journey[] {
  const refused = async (method: string, path: string, status: number, code: string, call?: Call) => {
    const answer = await api.ask(method, path, status, call);
    parsed(errorBody(code), answer.text);
    return answer.headers;
  };
  return [
    alone('an unknown path is 404 in the error shape', async () => {
      await refused('GET', '/api/v1/nothing', 404, 'not_found');
    }),
    alone('an unknown method is 405, and is told those that there are', async () => {
      const headers = await refused('PUT', '/api/v1/domains', 405, 'method_not_allowed');
      must(headers.get('allow') === 'GET, HEAD, POST', `Allow is ${headers.get('allow')}`);
    }),
    alone('HEAD is answered where GET is', async () => {
      await api.ask('HEAD', '/api/v1/domains', 200);
    }),
    alone('a request without a token is 401', async () => {
      const headers = await refused('GET', '/api/v1/domains', 401, 'unauthorized', { token: null });
      must(headers.get('www-authenticate') === 'Bearer', 'WWW-Authenticate is not Bearer');
    }),
    alone('a request with a wrong token is 401', async () => {
      await refused('GET', '/api/v1/domains', 401, 'unauthorized', { token: 'svc_wrong' });
    }),
  ];
}

function description(api: Client): Journey {
  return alone('the API describes itself', async () => {
    const schema = z.object({
      openapi: z.string().check(z.startsWith('3.1')),
      paths: z.object({ '/api/v1/domains': z.object({}) }),
    });
    await api.read(schema, 'GET', '/api/openapi.json', 200, { token: null });
  });
}

function spfChecker(api: Client, domain: string): Journey {
  return alone('the SPF checker looks a domain up', async () => {
    const call = { json: { domain }, token: null };
    const { status } = await api.read(spfCheckResult, 'POST', '/api/spf-checker', 200, call);
    must(status === 'no-record', `it says ${status} of a domain without a record`);
  });
}

function pages(api: Client): Journey {
  return alone('the page for people runs nothing but its own script', async () => {
    const { headers, text } = await api.ask('GET', '/', 200, { token: null });
    must(text.startsWith('<!doctype html>'), 'it is no HTML');
    const policy = headers.get('content-security-policy') ?? '';
    must(/default-src 'none'/.test(policy) && !/unsafe/.test(policy), `its policy is "${policy}"`);
    must(headers.get('x-content-type-options') === 'nosniff', 'its type may be guessed');
  });
}
