/** Styles of a result: the verdict, the key figures, and the findings. */
export const resultStyle = `
article {
  margin-top: 1.5rem;
  display: grid;
  gap: 2.75rem;
}
article > * {
  min-width: 0;
}
section > :not(:first-child) {
  margin-top: .75rem;
}
.verdict {
  --tone: var(--pass);
  --tint: var(--pass-tint);
  padding: 1.5rem clamp(1.1rem, 4vw, 2rem) 1.6rem;
  border-radius: .9rem;
  border-left: .4rem solid var(--tone);
  background: var(--tint);
}
.warn {
  --tone: var(--softfail);
  --tint: var(--softfail-tint);
}
.bad {
  --tone: var(--fail);
  --tint: var(--fail-tint);
}
.unknown {
  --tone: var(--neutral);
  --tint: var(--neutral-tint);
}
.verdict .soft, .verdict .eyebrow {
  color: inherit;
  opacity: .82;
}
.word {
  display: flex;
  align-items: center;
  gap: .6rem;
  margin: .75rem 0 .35rem;
  color: var(--tone);
  font-size: 1.4rem;
  font-weight: 700;
  line-height: 1.25;
}
.sign {
  flex: none;
  display: grid;
  place-items: center;
  width: 1.7rem;
  height: 1.7rem;
  border-radius: 50%;
  background: var(--tone);
  color: var(--tint);
  font-size: 1.05rem;
}
.lead + .soft {
  margin-top: .6rem;
}
.actions {
  display: flex;
  flex-wrap: wrap;
  gap: .6rem;
  margin-top: 1.1rem;
}
.facts {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr));
  gap: 1.25rem 1.5rem;
}
.facts div {
  border-top: 2px solid var(--ink);
  padding-top: .5rem;
}
.facts dt {
  color: var(--soft);
  font-size: .875rem;
}
.facts dd {
  margin: 0;
  font-size: 1.6rem;
  font-weight: 650;
  line-height: 1.3;
  letter-spacing: -.015em;
}
.facts small {
  display: block;
  line-height: 1.4;
  color: var(--soft);
  font-weight: 400;
  letter-spacing: 0;
}
.head {
  display: flex;
  flex-wrap: wrap;
  justify-content: space-between;
  align-items: center;
  gap: .4rem 1rem;
}
.findings {
  display: grid;
  gap: .6rem;
}
.findings li {
  --tone: var(--neutral);
  padding: .7rem 1rem;
  border: 1px solid var(--line);
  border-left: .25rem solid var(--tone);
  border-radius: .5rem;
  background: var(--card);
  overflow-wrap: anywhere;
}
.findings .error {
  --tone: var(--fail);
}
.findings .warning {
  --tone: var(--softfail);
}
.findings strong {
  color: var(--tone);
}
.fix {
  margin-top: .25rem;
  color: var(--soft);
}
.cite {
  font-size: .8125rem;
  white-space: nowrap;
}
.cite a {
  color: inherit;
}`;
