/** The answer of the API to a check of any domain, with and without a token. */
import type { DomainCheckBody } from '../../shared/api/domain-check-requests.ts';
import type { DomainCheckResult } from '../../shared/api/domain-checker.ts';
import type { OwnedCheck } from '../../shared/operations/domain-checker/check-any-domain.ts';
import {
  type SaveDependencies,
  saveDomainCheck,
} from '../../shared/operations/domain-checker/save-domain-check.ts';
import type { Outcome } from '../../shared/operations/outcome.ts';
import { answer, type Reply, reply } from '../../shared/runtime/http/reply.ts';
import { assess, showCheck } from '../../shared/views/assessed-check.ts';

/** Saves the result if requested. */
export async function checkReply(
  outcome: Outcome<OwnedCheck>,
  { body, clientAddress }: { readonly body: DomainCheckBody; readonly clientAddress: string },
  { hostUrl, ...deps }: SaveDependencies & { readonly hostUrl: string },
): Promise<Reply<DomainCheckResult>> {
  const { data: checked } = answer(outcome);
  const shareId = body.save ? answer(await saveDomainCheck(checked, clientAddress, deps)).data : null;
  return reply(showCheck(await assess(checked), { owner: checked.owner, shareId, hostUrl }));
}
