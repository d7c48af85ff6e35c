/** The package as a library: pure functions and lookups, without a service. See docs/library.md. */
export type { UsageType } from '../../shared/checks/state.ts';
export type { Simulation } from '../../shared/enforcement/shapes.ts';
export type { Comparison, Verification, Verified } from '../../shared/evidence/verify.ts';
export type { ReportedMail } from '../../shared/fixes/facts.ts';
export type { FixFormat } from '../../shared/fixes/formats.ts';
export type { Change, Plan } from '../../shared/fixes/plan.ts';
export type { SpfEvaluation } from '../../shared/protocol/spf/evaluate.ts';
export type { DmarcRecordRow, DmarcReportHeader, Refusal } from '../../shared/reports/report.ts';
export type { Score } from '../../shared/score/shapes.ts';
export { type CheckOptions, checkDomain, type DomainCheck } from './check-domain.ts';
export { evaluateSpf, type SpfClient } from './evaluate-spf.ts';
export type { NetworkOptions } from './network.ts';
export { type DmarcReport, type ParseOptions, parseDmarcReport } from './parse-dmarc-report.ts';
export { type FixOptions, planFixes, writePlan } from './plan-fixes.ts';
export { type Proposal, type SimulationOutcome, simulate } from './simulate.ts';
export { verifyEvidence } from './verify-evidence.ts';
