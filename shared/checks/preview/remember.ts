/** Remembers the answers of a network, so that two check runs on it see the same ones. */
import type { Network } from '../../network/ports.ts';
import type { Dns } from '../../protocol/dns.ts';
import { probeOnce } from '../mx/mail-host.ts';

/** A network that passes each question on once. `recipient` is the mailbox that every SMTP probe tests. */
export function rememberAnswers(network: Network, recipient: string | undefined): Network {
  const { dns, web, smtp, authorities } = network;
  const once = memory();
  return {
    ...network,
    dns: rememberLookups(dns),
    web: { get: (request) => once(`GET ${request.url}`, () => web.get(request)) },
    smtp: probeOnce(smtp, recipient),
    ...(authorities === undefined
      ? {}
      : {
          authorities: {
            ask: (server, name, type) =>
              once(`${server} ${name} ${type}`, () => authorities.ask(server, name, type)),
          },
        }),
  };
}

/** A Dns that makes each lookup once. */
export function rememberLookups(dns: Dns): Dns {
  const once = memory();
  return {
    // Without the signal: the run that stops first must not end the lookups of the other one.
    lookup: (name, type, { signal: _, ...options } = {}) =>
      once(`${name} ${type} ${options.dnssec} ${options.checkingDisabled}`, () =>
        dns.lookup(name, type, options),
      ),
  };
}

/** Answers each question once. The key of a question determines the type of its answer. */
export function memory() {
  const answers = new Map<string, Promise<never>>();
  return <T>(key: string, ask: () => Promise<T>): Promise<T> => {
    const known = answers.get(key) as Promise<T> | undefined;
    const answer = known ?? ask();
    answers.set(key, answer as Promise<never>);
    return answer;
  };
}
