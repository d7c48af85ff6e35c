/** Whether mail reaches SES: its identities are verified, and the MX records lead to it. */

export interface MailDomains {
  /** What SES says about an identity, such as `SUCCESS`. */
  readonly verification: (domain: string) => Promise<string>;
  /** The hosts of the MX records; none if there are none. Throws if nobody answers. */
  readonly mailHosts: (domain: string) => Promise<readonly string[]>;
}

/** @throws Error that names each domain whose mail does not arrive, and why. */
export async function requireMailDomains(
  names: readonly string[],
  region: string,
  { verification, mailHosts }: MailDomains,
): Promise<void> {
  const host = `inbound-smtp.${region}.amazonaws.com`;
  const problems = await Promise.all(
    names.map(async (domain) => {
      const [status, hosts] = await Promise.all([verification(domain), mailHosts(domain)]);
      return [
        ...(status === 'SUCCESS'
          ? []
          : [`SES has not verified ${domain} (${status}): its DKIM records are missing`]),
        ...(hosts.some((name) => name.toLowerCase() === host)
          ? []
          : [`the MX record of ${domain} is not ${host}`]),
      ];
    }),
  );
  if (problems.flat().length > 0) throw new Error(problems.flat().join('; '));
}
