/** A fake Smtp, whose hosts say what a test wants. */
import type { Smtp, SmtpAnswer, SmtpProbeRequest } from '../../shared/network/ports.ts';

type WithoutEvidence<T> = T extends unknown ? Omit<T, 'evidence'> : never;

/** What a host says, with its last reply. */
export type Says = WithoutEvidence<SmtpAnswer> & { readonly reply?: string | undefined };

/** A host without TLS that nobody tested a mailbox of. */
export const withoutTls = {
  ...{ status: 'found', starttls: { status: 'not-offered' }, recipient: 'not-asked' },
} as const satisfies Says;

export interface FakeSmtp extends Smtp {
  /** Every probe, in order. */
  readonly probes: readonly SmtpProbeRequest[];
}

export function fakeSmtp(
  says: (request: SmtpProbeRequest) => Says | Promise<Says> = () => withoutTls,
): FakeSmtp {
  const probes: SmtpProbeRequest[] = [];
  return {
    probes,
    async probe(request) {
      probes.push(request);
      const { reply, ...answer } = await says(request);
      const evidence = { hostname: request.hostname, address: request.address, milliseconds: 1 };
      return { ...answer, evidence: reply === undefined ? evidence : { ...evidence, reply } };
    },
  };
}
