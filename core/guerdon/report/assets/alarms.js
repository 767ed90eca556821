// What the audit of the run found.
const STATES = { alarm: "alarm", quiet: "quiet", "not judged": "not judged" };

const VERDICT = {
  alarm: (found) => `${found} of 7 alarms in force.`,
  clean: () => "No alarm is in force.",
  "cannot judge": () => "The audit cannot judge this run.",
};

function alarms(data) {
  const { verdict, steps, looks, findings } = data.audit;
  const raised = findings.filter((one) => one.state === "alarm");
  const lead = el("p", { class: raised.length ? "warning" : null }, VERDICT[verdict](raised.length));
  return section(
    "alarms",
    "Alarms",
    `The audit looked ${looks} times at ${steps} training steps, as it would have while the run went on. Raised: the step at which it would have told you. Begins: where the trouble starts, as far as can be said; ⚑ marks it in the charts.`,
    lead,
    el("div", { class: "alarms" }, findings.map(alarm)),
  );
}

function alarm(one) {
  const when = [
    one.state === "alarm" && one.raised !== null && `raised at step ${one.raised}`,
    one.state === "alarm" && one.onset !== null && `begins about step ${one.onset}`,
    one.state !== "alarm" && one.first_raised !== null && `raised at step ${one.first_raised}, withdrawn since`,
  ].filter(Boolean);
  const evidence = Object.entries(one.evidence);
  const examples = one.examples.map((key) => {
    const [, , step, ...id] = key.split("/");
    const name = el("bdi", {}, `step ${step}: `, written(id.join("/")));
    return el("a", { href: `#sample=${encodeURIComponent(key)}` }, name);
  });
  return el(
    "article",
    { class: `finding ${one.state.replace(" ", "-")}` },
    el("h3", {}, el("span", { class: "state" }, STATES[one.state]), " ", one.title),
    el("p", {}, written(one.text), when.length ? el("strong", {}, ` (${when.join(", ")})`) : null),
    examples.length ? el("p", { class: "examples" }, "Look at ", examples) : null,
    evidence.length
      ? el(
          "details",
          {},
          el("summary", {}, "Evidence"),
          el(
            "dl",
            { class: "facts" },
            evidence.map(([name, value]) =>
              el("div", {}, el("dt", {}, name.replaceAll("_", " ")), el("dd", {}, precise(value))),
            ),
          ),
        )
      : null,
  );
}

// Where alarms in force begin, for the charts; `component` keeps those about one.
function onsets(data, component = null) {
  return data.audit.findings
    .filter((one) => one.state === "alarm" && one.onset !== null && (!component || one.component === component))
    .map((one) => ({ step: one.onset, text: `${one.title}: begins about step ${one.onset}` }));
}
