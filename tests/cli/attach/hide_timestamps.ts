/** Makes adapters look as if they had no timestamps, as those of some software and older devices. */
const { has } = GPUSupportedFeatures.prototype;
GPUSupportedFeatures.prototype.has = function (name) {
  return name !== "timestamp-query" && has.call(this, name);
};
