/** Activates the SES receipt rule set. An account has at most one active rule set per region. */

/** The receipt rule sets of the account and region. */
export interface RuleSets {
  /** The name of the active one. */
  active(): Promise<string | undefined>;
  /** Activates a rule set instead of any other; undefined deactivates the active one. */
  activate(name: string | undefined): Promise<void>;
  /** The names of the rules in a set; empty if the set does not exist. */
  rules(ruleSetName: string): Promise<readonly string[]>;
}

/**
 * Activates our rule set. Idempotent.
 *
 * @param takeOver Whether to replace another active rule set.
 * @throws if another rule set is active and must not be replaced: SES would reject all mail that it handles.
 */
export async function activate(ruleSetName: string, takeOver: boolean, sets: RuleSets): Promise<void> {
  const active = await sets.active();
  if (active === ruleSetName) return;
  if (active !== undefined && !takeOver) {
    throw new Error(
      `The receipt rule set ${active} is already active in this account and region; only one can be active. ` +
        `To add the rules of this deployment to it, deploy with -c receiptRuleSetName=${active}. ` +
        'To replace it, deploy with -c takeOverActiveRuleSet=true.',
    );
  }
  await sets.activate(ruleSetName);
}

/**
 * Keeps our rule set active during an update. Idempotent.
 *
 * Another rule set that was activated in the meantime stays active, whatever the settings say. A rollback looks like an
 * update, so otherwise the rollback of an update that ends a takeover would start the takeover again.
 *
 * @param formerName Our rule set before this update.
 * @returns a message for the operator if our rule set is not active.
 */
export async function keepActive(
  ruleSetName: string,
  formerName: string,
  sets: RuleSets,
): Promise<string | undefined> {
  const active = await sets.active();
  if (active === ruleSetName) return undefined;
  if (active !== undefined && active !== formerName) {
    return (
      `The receipt rule set ${active} is active instead of ${ruleSetName} and was not changed, so this deployment receives no mail. ` +
      howToActivate(ruleSetName)
    );
  }
  await sets.activate(ruleSetName);
  return undefined;
}

/**
 * Checks that a rule set is active, and changes nothing.
 * @throws with a message for the operator if it is not.
 */
export async function requireActive(ruleSetName: string, sets: Pick<RuleSets, 'active'>): Promise<void> {
  const active = await sets.active();
  if (active === ruleSetName) return;
  const instead =
    active === undefined
      ? 'No receipt rule set is active'
      : `The receipt rule set ${active} is active instead of ${ruleSetName}`;
  throw new Error(`${instead}, so this deployment receives no mail. ${howToActivate(ruleSetName)}`);
}

const howToActivate = (ruleSetName: string): string =>
  `To change this, run: aws ses set-active-receipt-rule-set --rule-set-name ${ruleSetName}`;

/**
 * Deactivates our rule set if it is active. Idempotent.
 * @throws if the rule set, which is deleted next, contains rules that are not ours: SES would reject their mail.
 */
export async function deactivate(
  ruleSetName: string,
  ownRules: readonly string[],
  sets: RuleSets,
): Promise<void> {
  const others = (await sets.rules(ruleSetName)).filter((name) => !ownRules.includes(name));
  if (others.length > 0) {
    throw new Error(
      `The receipt rule set ${ruleSetName} contains rules that do not belong to this deployment and would be deleted ` +
        `with it. First delete these rules or move them to another rule set: ${others.join(', ')}`,
    );
  }
  if ((await sets.active()) === ruleSetName) await sets.activate(undefined);
}
