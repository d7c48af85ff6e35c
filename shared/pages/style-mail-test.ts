/** Styles of a mail test: the dial, the checks, and the delivery path. */
export const mailTestStyle = `
.with-dial {
  display: grid;
  grid-template-columns: minmax(0, 1fr) 12rem;
  gap: 1.5rem;
}
.with-dial h1 {
  font-size: clamp(1.3rem, 1rem + 1.6vw, 1.9rem);
}
.dial {
  display: block;
  width: 100%;
}
.arc {
  fill: none;
  stroke: var(--tone);
  stroke-width: 16;
}
.needle {
  fill: var(--ink);
}
.dial text {
  fill: var(--ink);
  font: 12px var(--sans);
  text-anchor: middle;
}
.score {
  text-align: center;
  font-size: 2rem;
  font-weight: 700;
  line-height: 1.2;
}
.total strong {
  font-size: 1.2rem;
}
.check-result {
  padding: .8rem 1rem;
  border: 1px solid var(--line);
  border-left: .25rem solid var(--tone);
  border-radius: .5rem;
  background: var(--card);
}
.check-result .tag {
  margin-left: .3rem;
  color: var(--tone);
}
.check-result dl, .fields {
  margin-top: .4rem;
}
.check-result dl div, .fields div {
  display: grid;
  grid-template-columns: 11rem minmax(0, 1fr);
  gap: .2rem 1rem;
  padding: .15rem 0;
}
.check-result dt, .fields dt {
  color: var(--soft);
  font-size: .875rem;
  overflow-wrap: anywhere;
}
.check-result dd, .fields dd {
  margin: 0;
  overflow-wrap: anywhere;
}
.state {
  color: var(--tone);
  font-weight: 600;
}
.way {
  margin: 0;
  padding-left: 1.4rem;
  overflow-wrap: anywhere;
}
.way li + li {
  margin-top: .7rem;
}
.pulse {
  display: inline-block;
  width: .6rem;
  height: .6rem;
  margin-right: .5rem;
  border-radius: 50%;
  background: var(--pass);
}
@media (prefers-reduced-motion: no-preference) {
  .pulse {
    animation: pulse 1.6s ease-in-out infinite;
  }
}
@keyframes pulse {
  50% {
    opacity: .25;
  }
}
@media (max-width: 40rem) {
  .with-dial, .check-result dl div, .fields div {
    grid-template-columns: minmax(0, 1fr);
    gap: 0;
  }
  .dial {
    max-width: 14rem;
    margin: 0 auto;
  }
}
`.replaceAll(/\n\s*/g, '');
