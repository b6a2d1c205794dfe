#include "ProfileText.h"

#include "../Inspect/Table.h"
#include "../Pages/Page.h"
#include "pagoda/Base/Concat.h"

#include <cstdio>

namespace pagoda {

namespace {

std::string fixed(const Json &number, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, number.get<double>());
  return text;
}

std::string orDash(const Json &number, int digits) {
  return number.get<double>() == 0 ? "-" : fixed(number, digits);
}

std::string percent(const Json &share) {
  return share.get<double>() == 0 ? "-" : formatShare(share.get<double>());
}

std::vector<std::string> cells(const std::string &name, const Json &line) {
  return {name,
          fixed(line["launches"], 0),
          fixed(line["ms"], 3),
          formatShare(line["share"].get<double>()),
          orDash(line["gb_s"], 1),
          orDash(line["gop_s"], 1),
          percent(line["of_limit"])};
}

Table makeTable(const char *first) {
  return Table({{first},
                {"launches", Table::Right},
                {"ms", Table::Right},
                {"share", Table::Right},
                {"GB/s", Table::Right},
                {"Gop/s", Table::Right},
                {"of limit", Table::Right}});
}

std::string phaseText(const Json &phase, bool layers) {
  std::string text =
      concat(phase["title"].get<std::string>(), ": ", fixed(phase["ms"], 3),
             " ms a step, ", fixed(phase["tokens_per_s"], 1), " tokens/s\n\n");
  Table table = makeTable("kernel");
  for (const Json &line : phase["kernels"])
    table.add(cells(line["kernel"].get<std::string>(), line));
  double ms = phase["ms"].get<double>(),
         waiting = phase["waiting_ms"].get<double>();
  table.add({"(threads wait)", "", fixed(waiting, 3),
             formatShare(ms > 0 ? waiting / ms : 0), "", "", ""});
  text += table.text();
  if (!layers)
    return text;
  Table places = makeTable("layer");
  for (const Json &layer : phase["layers"]) {
    std::string name = layer["layer"].get<std::string>();
    places.add(cells(name.empty() ? "(no layer)" : name, layer));
    for (const Json &line : layer["kernels"])
      places.add(cells("  " + line["place"].get<std::string>(), line));
  }
  return text + "\n" + places.text();
}

} // namespace

std::string profileText(const Json &profile, bool layers) {
  const Json &limits = profile["limits"];
  std::string text =
      concat(profile["model"].get<std::string>(), " on ",
             profile["cpu"].get<std::string>(), ", kernels for ",
             profile["target"].get<std::string>(), ", ",
             profile["threads"].get<unsigned>(), " threads\nlimits: reads ",
             fixed(limits["read_gb_s"], 1), " GB/s over ",
             formatBytes(limits["read_bytes"].get<uint64_t>()), ", int8 ",
             fixed(limits["int8_gop_s"], 0), " Gop/s, f32 ",
             fixed(limits["f32_gop_s"], 0), " Gop/s\n");
  for (const Json &phase : profile["phases"])
    text += "\n" + phaseText(phase, layers);
  return text;
}

std::string profilePage(const Json &profile, const Json &timelines) {
  PageLayout layout;
  layout.title = "Profile of " + profile["model"].get<std::string>();
  layout.body = "profile.html";
  layout.styles = {"page.css", "profile.css"};
  layout.scripts = {"page.js", "profile.js"};
  return makePage(layout, {{"profile", profile}, {"timelines", timelines}});
}

namespace {

double microseconds(rt::TraceClock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

std::string placeOf(const artifact::Launch &launch) {
  return launch.place() ? launch.place()->str() : "";
}

} // namespace

Json timeline(const Artifact &artifact, const rt::StepTrace &trace,
              size_t index) {
  const rt::TracedStep &step = trace.steps[index];
  Json list = Json::array();
  for (size_t thread = 0; thread < step.pieces.size(); ++thread)
    for (const rt::TracedPiece &piece : step.pieces[thread]) {
      const artifact::Launch &launch =
          *trace.entry->launches()->Get(static_cast<unsigned>(piece.launch));
      list.push_back(
          {{"thread", thread},
           {"launch", piece.launch},
           {"kernel",
            artifact.program().kernels()->Get(launch.kernel())->name()->str()},
           {"place", placeOf(launch)},
           {"start_us", microseconds(piece.begin - step.begin)},
           {"us", microseconds(piece.end - piece.begin)}});
    }
  return list;
}

Json perfettoTrace(const Artifact &artifact, const rt::StepTrace &trace) {
  Json events = Json::array();
  if (trace.steps.empty())
    return {{"traceEvents", events}};
  rt::TraceClock::time_point start = trace.steps.front().begin;
  for (size_t i = 0; i < trace.steps.size(); ++i) {
    const rt::TracedStep &step = trace.steps[i];
    double begin = microseconds(step.begin - start);
    events.push_back({{"name", concat("step ", i)},
                      {"cat", "step"},
                      {"ph", "X"},
                      {"ts", begin},
                      {"dur", microseconds(step.end - step.begin)},
                      {"pid", 0},
                      {"tid", "steps"},
                      {"args",
                       {{"tokens", step.qStart.back()},
                        {"sequences", step.kvLength.size()}}}});
    for (const Json &piece : timeline(artifact, trace, i))
      events.push_back(
          {{"name", piece["kernel"]},
           {"cat", "kernel"},
           {"ph", "X"},
           {"ts", begin + piece["start_us"].get<double>()},
           {"dur", piece["us"]},
           {"pid", 0},
           {"tid", concat("thread ", piece["thread"].get<unsigned>())},
           {"args", {{"place", piece["place"]}, {"launch", piece["launch"]}}}});
  }
  return {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
}

} // namespace pagoda
