/** Which set of receipt rules of SES takes the mail of an account and region: there is one at most. */

/** The rule sets of the account and region. */
export interface RuleSets {
  /** The name of the active one. */
  active(): Promise<string | undefined>;
  /** Makes one active in place of any other, or none. */
  activate(name: string | undefined): Promise<void>;
}

export interface Wish {
  readonly ruleSetName: string;
  /** Our rule set before this update, where it had another name. */
  readonly formerName: string | undefined;
  /** Whether a rule set that is not ours may lose its place. */
  readonly takeOver: boolean;
}

/**
 * Makes our rule set the active one. May be done again at any time.
 * @throws when another is active and may not lose its place: all mail that it handles would be refused.
 */
export async function activate({ ruleSetName, formerName, takeOver }: Wish, sets: RuleSets): Promise<void> {
  const active = await sets.active();
  if (active === ruleSetName) return;
  if (active !== undefined && active !== formerName && !takeOver) {
    throw new Error(
      `The receipt rule set ${active} is active in this account and region, and there can be only one. ` +
        `Deploy with -c receiptRuleSetName=${active} to add our rules to it, ` +
        'or with -c takeOverActiveRuleSet=true to put ours in its place.',
    );
  }
  await sets.activate(ruleSetName);
}

/** Leaves no rule set active, where it is ours. May be done again at any time. */
export async function deactivate(ruleSetName: string, sets: RuleSets): Promise<void> {
  if ((await sets.active()) === ruleSetName) await sets.activate(undefined);
}
