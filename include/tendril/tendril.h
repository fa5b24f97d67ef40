// SPDX-License-Identifier: MIT
#pragma once

/// @file tendril.h
/// All of Tendril.

#include "tendril/base.h"
#include "tendril/value.h"
#include "tendril/grammar.h"
#include "tendril/skeleton.h"
#include "tendril/mesh.h"
#include "tendril/pool.h"
#include "tendril/lcp.h"
#include "tendril/load.h"
#include "tendril/curve.h"
#include "tendril/wind.h"
#include "tendril/constraint.h"
#include "tendril/contact.h"
#include "tendril/step.h"
#include "tendril/island.h"
#include "tendril/solver.h"
#include "tendril/tree.h"
#include "tendril/reduce.h"
#include "tendril/batch.h"
#include "tendril/analytic.h"
#include "tendril/adapt.h"
#include "tendril/rod.h"
#include "tendril/helix.h"
#include "tendril/scene.h"
#include "tendril/world.h"
#include "tendril/actor.h"
#include "tendril/query.h"
#include "tendril/io.h"
#include "tendril/clip.h"
