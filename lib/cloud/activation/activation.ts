/** Which set of receipt rules of SES takes the mail of an account and region: there is one at most. */

/** The rule sets of the account and region. */
export interface RuleSets {
  /** The name of the active one. */
  active(): Promise<string | undefined>;
  /** Makes one active in place of any other, or none. */
  activate(name: string | undefined): Promise<void>;
  /** The names of the rules in a set; none of a set that is not there. */
  rules(ruleSetName: string): Promise<readonly string[]>;
}

/**
 * Makes our rule set the active one. May be done again at any time.
 *
 * @param takeOver Whether a rule set that is not ours may lose its place.
 * @throws when another is active and may not lose its place: all mail that it handles would be refused.
 */
export async function activate(ruleSetName: string, takeOver: boolean, sets: RuleSets): Promise<void> {
  const active = await sets.active();
  if (active === ruleSetName) return;
  if (active !== undefined && !takeOver) {
    throw new Error(
      `The receipt rule set ${active} is active in this account and region, and there can be only one. ` +
        `Deploy with -c receiptRuleSetName=${active} to add our rules to it, ` +
        'or with -c takeOverActiveRuleSet=true to put ours in its place.',
    );
  }
  await sets.activate(ruleSetName);
}

/**
 * Keeps our rule set active through an update. May be done again at any time.
 *
 * Another one that was made active since keeps its place, whatever the settings say: the rollback of an update looks
 * like an update, so that one that ends a takeover would begin it anew when it fails.
 *
 * @param formerName Our rule set before this update.
 * @returns what an operator has to know, where ours is not active.
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
      `The receipt rule set ${active} is active in place of ours, and was left so: no mail comes in by our rules. ` +
      `To change that: aws ses set-active-receipt-rule-set --rule-set-name ${ruleSetName}`
    );
  }
  await sets.activate(ruleSetName);
  return undefined;
}

/**
 * Leaves no rule set active, where it is ours. May be done again at any time.
 * @throws when the set, which is deleted next, holds rules that are not ours: their mail would be refused.
 */
export async function deactivate(
  ruleSetName: string,
  ownRules: readonly string[],
  sets: RuleSets,
): Promise<void> {
  const others = (await sets.rules(ruleSetName)).filter((name) => !ownRules.includes(name));
  if (others.length > 0) {
    throw new Error(
      `The receipt rule set ${ruleSetName} holds rules that are not of this deployment, and would be deleted with ` +
        `them. Destroy first what they belong to, or move them to another rule set: ${others.join(', ')}`,
    );
  }
  if ((await sets.active()) === ruleSetName) await sets.activate(undefined);
}
