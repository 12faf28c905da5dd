/**
 * The code that runs in the page, as text: that of `client/`, and what it shares with other reports.
 *
 * @module
 */
import analysisMemoryPeak from "../../analysis/memory_peak.ts" with { type: "text" };
import analysisOpGroups from "../../analysis/op_groups.ts" with { type: "text" };
import analysisHostShare from "../../analysis/host_share.ts" with { type: "text" };
import analysisRandomOps from "../../analysis/random_ops.ts" with { type: "text" };
import analysisRoofline from "../../analysis/roofline.ts" with { type: "text" };
import analysisStepStatistics from "../../analysis/step_statistics.ts" with { type: "text" };
import format from "../format.ts" with { type: "text" };
import quantities from "../quantities.ts" with { type: "text" };
import chartChartData from "./client/chart/chart_data.ts" with { type: "text" };
import chartChartKeys from "./client/chart/chart_keys.ts" with { type: "text" };
import chartIntervalPlot from "./client/chart/interval_plot.ts" with { type: "text" };
import chartPlotOptions from "./client/chart/plot_options.ts" with { type: "text" };
import chartScale from "./client/chart/scale.ts" with { type: "text" };
import chartSeries from "./client/chart/series.ts" with { type: "text" };
import chartSeriesChart from "./client/chart/series_chart.ts" with { type: "text" };
import clipboard from "./client/clipboard.ts" with { type: "text" };
import comparisonBlocks from "./client/comparison/blocks.ts" with { type: "text" };
import comparisonEffects from "./client/comparison/effects.ts" with { type: "text" };
import comparisonEnvironment from "./client/comparison/environment.ts" with { type: "text" };
import comparisonLadder from "./client/comparison/ladder.ts" with { type: "text" };
import comparisonLosses from "./client/comparison/losses.ts" with { type: "text" };
import comparisonMatrix from "./client/comparison/matrix.ts" with { type: "text" };
import comparisonMatrixColumns from "./client/comparison/matrix_columns.ts" with { type: "text" };
import comparisonMatrixNotes from "./client/comparison/matrix_notes.ts" with { type: "text" };
import comparisonProcedure from "./client/comparison/procedure.ts" with { type: "text" };
import comparisonSpeedColumns from "./client/comparison/speed_columns.ts" with { type: "text" };
import comparisonSummary from "./client/comparison/summary.ts" with { type: "text" };
import comparisonVerdict from "./client/comparison/verdict.ts" with { type: "text" };
import context from "./client/context.ts" with { type: "text" };
import data from "./client/data.ts" with { type: "text" };
import dom from "./client/dom.ts" with { type: "text" };
import header from "./client/header.ts" with { type: "text" };
import main from "./client/main.ts" with { type: "text" };
import names from "./client/names.ts" with { type: "text" };
import navigation from "./client/navigation.ts" with { type: "text" };
import numbers from "./client/numbers.ts" with { type: "text" };
import palette from "./client/palette.ts" with { type: "text" };
import panel from "./client/panel.ts" with { type: "text" };
import route from "./client/route.ts" with { type: "text" };
import section from "./client/section.ts" with { type: "text" };
import table from "./client/table.ts" with { type: "text" };
import theme from "./client/theme.ts" with { type: "text" };
import timelineDecode from "./client/timeline/decode.ts" with { type: "text" };
import timelineLabels from "./client/timeline/labels.ts" with { type: "text" };
import timelineLayout from "./client/timeline/layout.ts" with { type: "text" };
import timelinePaint from "./client/timeline/paint.ts" with { type: "text" };
import timelinePointer from "./client/timeline/pointer.ts" with { type: "text" };
import timelineSection from "./client/timeline/section.ts" with { type: "text" };
import timelineSpans from "./client/timeline/spans.ts" with { type: "text" };
import timelineTimeline from "./client/timeline/timeline.ts" with { type: "text" };
import timelineView from "./client/timeline/view.ts" with { type: "text" };
import variantAutotune from "./client/variant/autotune.ts" with { type: "text" };
import variantFindings from "./client/variant/findings.ts" with { type: "text" };
import variantFlameGraph from "./client/variant/flame_graph.ts" with { type: "text" };
import variantHost from "./client/variant/host.ts" with { type: "text" };
import variantMemory from "./client/variant/memory.ts" with { type: "text" };
import variantOps from "./client/variant/ops.ts" with { type: "text" };
import variantPhases from "./client/variant/phases.ts" with { type: "text" };
import variantPipeline from "./client/variant/pipeline.ts" with { type: "text" };
import variantQueues from "./client/variant/queues.ts" with { type: "text" };
import variantRoofline from "./client/variant/roofline.ts" with { type: "text" };
import variantRooflineChart from "./client/variant/roofline_chart.ts" with { type: "text" };
import variantScopeTree from "./client/variant/scope_tree.ts" with { type: "text" };
import variantSettings from "./client/variant/settings.ts" with { type: "text" };
import variantSteps from "./client/variant/steps.ts" with { type: "text" };
import variantTabs from "./client/variant_tabs.ts" with { type: "text" };
import embedded from "./embedded.ts" with { type: "text" };
import packing from "./packing.ts" with { type: "text" };

/** Path of the module that runs last. */
export const CLIENT_ENTRY = "report/html/client/main.ts";

/** TypeScript by path, from `runtime/` on. */
export const CLIENT_SOURCES: ReadonlyMap<string, string> = new Map([
  ["analysis/memory_peak.ts", analysisMemoryPeak],
  ["analysis/op_groups.ts", analysisOpGroups],
  ["analysis/host_share.ts", analysisHostShare],
  ["analysis/random_ops.ts", analysisRandomOps],
  ["analysis/roofline.ts", analysisRoofline],
  ["analysis/step_statistics.ts", analysisStepStatistics],
  ["report/format.ts", format],
  ["report/html/client/chart/chart_data.ts", chartChartData],
  ["report/html/client/chart/chart_keys.ts", chartChartKeys],
  ["report/html/client/chart/interval_plot.ts", chartIntervalPlot],
  ["report/html/client/chart/plot_options.ts", chartPlotOptions],
  ["report/html/client/chart/scale.ts", chartScale],
  ["report/html/client/chart/series.ts", chartSeries],
  ["report/html/client/chart/series_chart.ts", chartSeriesChart],
  ["report/html/client/clipboard.ts", clipboard],
  ["report/html/client/comparison/blocks.ts", comparisonBlocks],
  ["report/html/client/comparison/effects.ts", comparisonEffects],
  ["report/html/client/comparison/environment.ts", comparisonEnvironment],
  ["report/html/client/comparison/ladder.ts", comparisonLadder],
  ["report/html/client/comparison/losses.ts", comparisonLosses],
  ["report/html/client/comparison/matrix.ts", comparisonMatrix],
  ["report/html/client/comparison/matrix_columns.ts", comparisonMatrixColumns],
  ["report/html/client/comparison/matrix_notes.ts", comparisonMatrixNotes],
  ["report/html/client/comparison/procedure.ts", comparisonProcedure],
  ["report/html/client/comparison/speed_columns.ts", comparisonSpeedColumns],
  ["report/html/client/comparison/summary.ts", comparisonSummary],
  ["report/html/client/comparison/verdict.ts", comparisonVerdict],
  ["report/html/client/context.ts", context],
  ["report/html/client/data.ts", data],
  ["report/html/client/dom.ts", dom],
  ["report/html/client/header.ts", header],
  ["report/html/client/main.ts", main],
  ["report/html/client/names.ts", names],
  ["report/html/client/navigation.ts", navigation],
  ["report/html/client/numbers.ts", numbers],
  ["report/html/client/palette.ts", palette],
  ["report/html/client/panel.ts", panel],
  ["report/html/client/route.ts", route],
  ["report/html/client/section.ts", section],
  ["report/html/client/table.ts", table],
  ["report/html/client/theme.ts", theme],
  ["report/html/client/timeline/decode.ts", timelineDecode],
  ["report/html/client/timeline/labels.ts", timelineLabels],
  ["report/html/client/timeline/layout.ts", timelineLayout],
  ["report/html/client/timeline/paint.ts", timelinePaint],
  ["report/html/client/timeline/pointer.ts", timelinePointer],
  ["report/html/client/timeline/section.ts", timelineSection],
  ["report/html/client/timeline/spans.ts", timelineSpans],
  ["report/html/client/timeline/timeline.ts", timelineTimeline],
  ["report/html/client/timeline/view.ts", timelineView],
  ["report/html/client/variant/autotune.ts", variantAutotune],
  ["report/html/client/variant/findings.ts", variantFindings],
  ["report/html/client/variant/flame_graph.ts", variantFlameGraph],
  ["report/html/client/variant/host.ts", variantHost],
  ["report/html/client/variant/memory.ts", variantMemory],
  ["report/html/client/variant/ops.ts", variantOps],
  ["report/html/client/variant/phases.ts", variantPhases],
  ["report/html/client/variant/pipeline.ts", variantPipeline],
  ["report/html/client/variant/queues.ts", variantQueues],
  ["report/html/client/variant/roofline.ts", variantRoofline],
  ["report/html/client/variant/roofline_chart.ts", variantRooflineChart],
  ["report/html/client/variant/scope_tree.ts", variantScopeTree],
  ["report/html/client/variant/settings.ts", variantSettings],
  ["report/html/client/variant/steps.ts", variantSteps],
  ["report/html/client/variant_tabs.ts", variantTabs],
  ["report/html/embedded.ts", embedded],
  ["report/html/packing.ts", packing],
  ["report/quantities.ts", quantities],
]);
