/** What the GitHub Action finds out about a domain. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { findingsOf } from '../../shared/checks/checks.ts';
import { type CheckContext, inspectDomain } from '../../shared/checks/inspect.ts';
import { differenceOf } from '../../shared/checks/preview/difference.ts';
import { previewChecks } from '../../shared/checks/preview/preview.ts';
import { readZone } from '../../shared/checks/preview/proposal.ts';
import type { CheckResults } from '../../shared/checks/results.ts';
import { type CheckName, checkNames } from '../../shared/checks/state.ts';
import { describeFor, isFailedLookup } from '../../shared/protocol/findings/catalogue.ts';
import type { DescribedFinding, Finding } from '../../shared/protocol/findings/finding.ts';
import type { ZoneSet } from '../../shared/protocol/zone-file/record-set.ts';
import { computeScore } from '../../shared/score/score.ts';
import type { Score } from '../../shared/score/shapes.ts';
import { InputError, type Inputs } from './inputs.ts';
import { type LostMessages, lostMessages } from './lost-messages.ts';

export interface Found extends DescribedFinding {
  readonly check: CheckName;
  /** Whether the base has not got it; null if nothing was compared. */
  readonly isNew: boolean | null;
}

export interface CheckedDomain {
  readonly domain: string;
  readonly score: Score;
  readonly scoreBefore: number | null | undefined;
  readonly findings: readonly Found[];
  /** The text of the zone file. */
  readonly zone: string | undefined;
  readonly lost: LostMessages | undefined;
}

/**
 * Checks a domain as it is, or with its zone file, which is then compared with that of the base.
 * @throws InputError if a zone file cannot be used, or the service does not answer.
 */
export async function checkDomain(
  domain: string,
  inputs: Inputs,
  context: CheckContext,
): Promise<CheckedDomain> {
  const { usageType, selectors: dkimSelectors, zone: file, base, service } = inputs;
  const asked = { domain, testEmailLocalPart: null, dkimSelectors, knownSelectors: [] };
  if (file === undefined) {
    const results = await inspectDomain(asked, context);
    const findings = found(domain, results, undefined);
    return { ...{ domain, findings }, score: computeScore(results, usageType), ...nothingCompared };
  }
  const zone = await readFile(file, 'utf8').catch((error: Error) => {
    throw new InputError(`with: ${error.message}`);
  });
  const sets = setsOf(zone, domain, file);
  const preview = async (sets: readonly ZoneSet[]) => {
    const made = await previewChecks(asked, sets, context);
    if (made.ok) return made;
    throw new InputError(`with: a CNAME record would stand beside other data: ${made.conflicts.join(', ')}`);
  };
  const baseZone = base === undefined ? undefined : await readBase(base, file);
  const { before: published, after } = await preview(sets);
  const before =
    baseZone === undefined ? published : (await preview(setsOf(baseZone, domain, `${base}:${file}`))).after;
  return {
    ...{ domain, zone },
    score: computeScore(after, usageType),
    scoreBefore: computeScore(before, usageType).score,
    findings: found(domain, after, before),
    lost: service && (await lostMessages(domain, sets, service)),
  };
}

const nothingCompared = { scoreBefore: undefined, zone: undefined, lost: undefined };

function setsOf(zone: string, domain: string, file: string): readonly ZoneSet[] {
  const read = readZone(zone, domain);
  if (!read.ok) throw new InputError(`${file}: ${read.problems.join('; ')}`);
  return read.sets;
}

/** The zone file in the base; undefined if it has none. A checkout of one commit lacks the base, which git then gets. */
async function readBase(base: string, file: string): Promise<string | undefined> {
  const git = async (...args: readonly string[]) =>
    (await promisify(execFile)('git', args, { maxBuffer: 16_000_000 })).stdout;
  if (base.startsWith('-')) throw new InputError('base must be a commit or a branch');
  let commit = base;
  try {
    await git('rev-parse', '--verify', '--quiet', `${base}^{commit}`);
  } catch {
    await git('fetch', '--quiet', '--depth=1', 'origin', base).catch((error: Error) => {
      throw new InputError(`base: ${error.message}`);
    });
    commit = 'FETCH_HEAD';
  }
  return git('show', `${commit}:./${file}`).catch(() => undefined);
}

function found(domain: string, results: CheckResults, before: CheckResults | undefined): readonly Found[] {
  // A lookup that fails in one run and not in the other says nothing about the change.
  const introduced = before && differenceOf(before, results).introduced.filter((one) => !isFailedLookup(one));
  const isIntroduced = (check: CheckName, { id, subject }: Finding) =>
    introduced?.some((one) => one.check === check && one.id === id && one.subject === subject) ?? null;
  return checkNames.flatMap((check) =>
    findingsOf(check, results).map((finding) => ({
      ...describeFor({ domain })(finding),
      check,
      isNew: isIntroduced(check, finding),
    })),
  );
}
