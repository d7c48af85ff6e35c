/**
 * A fake Authorities: each name server has its own zone literal, or `silent` if it does not respond:
 * `fakeAuthorities({ 'ns1.example.org': { 'example.org': { MX: [[10, 'mx.example.org']] } }, 'ns2.example.org':
 * 'silent' })`.
 */
import type { AuthoritativeServers } from '../../shared/network/ports.ts';
import { canonicalName } from '../../shared/protocol/domain-name.ts';
import { indexZone, recordsOf, type ZoneLiteral } from './zone.ts';

interface FakeAuthorities extends AuthoritativeServers {
  /** Every query in order, as `ns1.example.org example.org MX`. */
  readonly questions: readonly string[];
}

/** Creates the fake; an unlisted server is silent too. */
export function fakeAuthorities(servers: Readonly<Record<string, ZoneLiteral | 'silent'>>): FakeAuthorities {
  const questions: string[] = [];
  return {
    questions,
    async ask(server, name, type) {
      questions.push(`${server} ${name} ${type}`);
      const literal = servers[server] ?? 'silent';
      const held = literal === 'silent' ? 'TIMEOUT' : indexZone(literal).at(name);
      if (held === 'no-name') return { status: 'absent' };
      if (held === 'REFUSED') return { status: 'unavailable', detail: held, notServed: held };
      if (typeof held === 'string') return { status: 'unavailable', detail: held };
      if (typeof held[type] === 'string') return { status: 'unavailable', detail: held[type] };
      const [alias] = Array.isArray(held.CNAME) ? held.CNAME : [];
      if (alias !== undefined) return { status: 'alias', target: canonicalName(alias) };
      const records = recordsOf(type, held);
      return records.length === 0 ? { status: 'absent' } : { status: 'found', records };
    },
  };
}
