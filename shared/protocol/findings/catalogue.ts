/** Every rule of every check by id: message, severity, citation and fix. */
import { bimiRules } from './bimi.ts';
import { bimiEvidenceRules } from './bimi-evidence.ts';
import { bimiLogoRules } from './bimi-logo.ts';
import { caaRules } from './caa.ts';
import { dkimRules } from './dkim.ts';
import { dkimHistoryRules } from './dkim-history.ts';
import { dmarcRules } from './dmarc.ts';
import { dmarcDenialRules } from './dmarc-denial.ts';
import { dnssecRules } from './dnssec.ts';
import { dnssecAutomationRules } from './dnssec-automation.ts';
import { dnssecSigningRules } from './dnssec-signing.ts';
import {
  type DescribedFinding,
  describe,
  type Finding,
  type FindingAudience,
  type Rules,
} from './finding.ts';
import { mtaStsRules } from './mta-sts.ts';
import { mxRules } from './mx.ts';
import { mxRolloverRules } from './mx-rollover.ts';
import { mxTlsRules } from './mx-tls.ts';
import { spfRules } from './spf.ts';
import { tlsRptRules } from './tls-rpt.ts';
import { unownedRules } from './unowned.ts';
import { zoneRules } from './zone.ts';

const rules = {
  ...mxRules,
  ...mxTlsRules,
  ...mxRolloverRules,
  ...spfRules,
  ...dkimRules,
  ...dkimHistoryRules,
  ...dmarcRules,
  ...dmarcDenialRules,
  ...mtaStsRules,
  ...tlsRptRules,
  ...bimiRules,
  ...bimiLogoRules,
  ...bimiEvidenceRules,
  ...dnssecRules,
  ...dnssecAutomationRules,
  ...dnssecSigningRules,
  ...caaRules,
  ...zoneRules,
  ...unownedRules,
} satisfies Rules;

/** The ID of a rule, for tables that name rules. */
export type FindingId = keyof typeof rules;

/** By any text, because stored findings can be of a rule that only another release has. */
export const catalogue: Rules = rules;

/** Adds the text of findings of `owner`. */
export const describeFor =
  (owner: FindingAudience) =>
  (finding: Finding): DescribedFinding =>
    describe(finding, catalogue, owner);

/** Whether somebody else can take over what the domain relies on. */
export const isTakeover = ({ id }: Pick<Finding, 'id'>): boolean => catalogue[id]?.takeover === true;

/** Whether a finding reports only that something could not be checked. */
export function isFailedLookup({ id }: Pick<Finding, 'id'>): boolean {
  return catalogue[id]?.failedLookup !== undefined;
}

/** Whether its rule says why a finding that is not there any more ended. */
export const saysHowItEnded = ({ id }: Pick<Finding, 'id'>): boolean => catalogue[id]?.ended !== undefined;
