/** What stands in for AWS and for Lambda. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';

export interface Answer {
  readonly status?: number;
  readonly body?: string;
}

/** Starts a server that records its requests and answers with the given responses in order, then with the last one. */
export async function fakeAws(answers: readonly Answer[]) {
  const seen: { method: string | undefined; type: string | undefined; body: string }[] = [];
  const server = createServer(async (incoming, outgoing) => {
    let body = '';
    for await (const chunk of incoming) body += chunk;
    seen.push({ method: incoming.method, type: incoming.headers['content-type'], body });
    const answer = answers[Math.min(seen.length, answers.length) - 1];
    outgoing.writeHead(answer?.status ?? 200).end(answer?.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { seen, url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/**
 * Runs a script in a new Node process with the environment of a Lambda. Parses the JSON of the last line of its output.
 */
export async function runAsLambda(
  script: string,
  env: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    timeout: 120_000,
    env: {
      ...{ AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' },
      ...{ LOG_LEVEL: 'silent', ...env },
    },
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

const result = (action: string, text: string) =>
  `<${action}Response xmlns="http://ses.amazonaws.com/doc/2010-12-01/"><${action}Result>${text}</${action}Result></${action}Response>`;

export const sesAnswers = {
  active: (name: string | undefined): Answer => ({
    body: result(
      'DescribeActiveReceiptRuleSet',
      name === undefined ? '' : `<Metadata><Name>${name}</Name></Metadata>`,
    ),
  }),
  rules: (...names: string[]): Answer => {
    const members = names.map((name) => `<member><Name>${name}</Name></member>`);
    return { body: result('DescribeReceiptRuleSet', `<Rules>${members.join('')}</Rules>`) };
  },
  refused: (Code: string, message: string): Answer => ({
    status: 400,
    body: `<ErrorResponse><Error><Type>Sender</Type><Code>${Code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
  }),
};
